// switching_tunnel: runs the wind tunnel in one process, and switches its event collectors on and off during
// the run. Prints a line of JSON for each pair of periods (stretches), one with the collectors on and one
// with them off, in random order. It has the time of a step and the number of recorded events in each of the
// two. Influences that change more slowly than a stretch, and the memory layout of the process, are the same
// for both and cancel out.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

#include <eventspace/session.h>
#include "apps/windtunnel/program/crew.h"
#include "bench/run_program.h"
#include "bench/windtunnel/path_tunnel.h"
#include "pathmaps/pathmap.h"

namespace eventspace::windtunnel {
namespace {

struct Options {
  std::string pathmap;
  std::size_t n = kSmall;
  std::size_t pairs = 10;
  double stretch = 0.2;  // seconds
  std::uint64_t seed = 1;
};

struct Stretch {
  double seconds_a_step = 0;
  std::uint64_t events = 0;
};

// Effectively unlimited: measure() interrupts the run.
constexpr std::uint64_t kSteps = 1'000'000'000'000;
// The steps before measuring starts, in which all memory and paths are used for the first time.
constexpr std::uint64_t kFirstSteps = 8;
// The least number of steps of each worker in a stretch. A stretch is extended until they are done, because a
// stalled machine could leave none. A step counts in the stretch in which it ends, its events count in the
// stretch in which they are recorded. With five steps, the two differ by at most a fifth (LEAST_SHARE in
// switching.py).
constexpr std::uint64_t kLeastSteps = 5;

class SwitchingTunnel {
 public:
  SwitchingTunnel(const std::shared_ptr<const Plan>& plan, const Options& options)
      : options_(options),
        settings_{.tunnel = {.n = options.n}, .steps = kSteps},
        session_(Session::join(plan, "p0",
                               {.name = fmt::format("bench-switching-{}", ::getpid()), .collect = true})),
        workers_(count_workers(*plan)),
        team_(session_, workers_, [](const Failure& /*told by run()*/) {}) {}

  void run() {
    Coordinator coordinator(session_, settings_, {});
    run_threads(session_, team_, coordinator, settings_, [this] {
      measure();
      team_.interrupt();
    });
    if (const auto failure = team_.failure()) throw std::runtime_error(failure->what);
  }

 private:
  void measure() {
    wait_for([&] { return team_.steps_done() >= kFirstSteps; });
    for (std::size_t pair = 0; pair < options_.pairs; ++pair) {
      const auto stretches = measure_pair();
      if (team_.is_ending()) return;
      print(stretches);
    }
  }

  std::pair<Stretch, Stretch> measure_pair() {
    if ((chance_() & 1U) != 0) {
      const Stretch on = measure(true);
      return {on, measure(false)};
    }
    const Stretch off = measure(false);
    return {measure(true), off};
  }

  Stretch measure(bool collecting) {
    using Clock = std::chrono::steady_clock;
    session_.set_collecting(collecting);
    const std::uint64_t events = session_.events_recorded();
    const std::uint64_t steps = team_.steps_done_by_all();
    const auto begun = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(options_.stretch));
    wait_for([&] { return team_.steps_done_by_all() - steps >= kLeastSteps * workers_; });
    const auto done = static_cast<double>(team_.steps_done_by_all() - steps);
    const std::chrono::duration<double> took = Clock::now() - begun;
    return {took.count() * static_cast<double>(workers_) / done, session_.events_recorded() - events};
  }

  // Also returns when the run ends.
  template <typename Condition>
  void wait_for(const Condition& condition) const {
    while (!condition() && !team_.is_ending()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  static void print(const std::pair<Stretch, Stretch>& pair) {
    const auto& [on, off] = pair;
    fmt::print(R"({{"on": {}, "off": {}, "events_on": {}, "events_off": {}}})"
               "\n",
               on.seconds_a_step, off.seconds_a_step, on.events, off.events);
  }

  const Options options_;
  const Settings settings_;
  Session session_;
  const std::size_t workers_;
  Team team_;
  std::mt19937_64 chance_{options_.seed};
};

std::shared_ptr<const Plan> plan_of(const std::string& pathmap) {
  LoadResult loaded = load_plan(pathmap);
  if (!loaded.plan) throw std::runtime_error(fmt::format("{}: {}", pathmap, loaded.faults.front().text));
  return std::make_shared<const Plan>(std::move(*loaded.plan));
}

Options parse(int count, char** words) {
  Options options;
  CLI::App program("The wind tunnel, with event collectors switched on and off while it runs.");
  program.add_option("pathmap", options.pathmap, "of one process, p0")->required();
  program.add_option("--n", options.n, "rows of the lattice");
  program.add_option("--pairs", options.pairs, "pairs of stretches")->check(CLI::PositiveNumber);
  program.add_option("--stretch", options.stretch, "seconds")->check(CLI::PositiveNumber);
  program.add_option("--seed", options.seed, "of the order in the pairs");
  try {
    program.parse(count, words);
  } catch (const CLI::ParseError& error) {
    std::exit(program.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

}  // namespace
}  // namespace eventspace::windtunnel

int main(int count, char** words) {
  using namespace eventspace::windtunnel;
  return eventspace::bench::run_program("switching_tunnel", [&] {
    const Options options = parse(count, words);
    SwitchingTunnel(plan_of(options.pathmap), options).run();
    return 0;
  });
}
