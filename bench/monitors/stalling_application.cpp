// stalling_application --stalls N [--set SECONDS] [--seed N]: a process of stalls.yaml, for `eventspace run`.
// Its threads write to their logs every other millisecond. At intervals, a random thread of all processes
// stalls for four times the set time: it computes, sleeps, or waits in a read of an element to which no
// thread writes. Only one thread computes at a time, because two would occupy a machine with two cores, and
// the scheduler would then determine how soon a stall is reported. Each process writes a line for each of its
// stalls, `stall THREAD KIND SINCE UNTIL`, in nanoseconds of CLOCK_MONOTONIC: the earliest possible beginning
// of the last event, and when the thread continued. It ends after the last stall of all processes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/session.h>
#include "bench/run_program.h"
#include "collectors/clock.h"
#include "monitors/cli/stop_signals.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using Time = std::chrono::steady_clock::time_point;
using SteadyClock = std::chrono::steady_clock;

constexpr nanoseconds between_events = 2ms;
constexpr nanoseconds until_the_first = 1s;  // all processes have begun by then, and a monitor has looked

constexpr std::array kinds{"spin", "sleep", "wait"};

struct Stall {
  std::size_t thread{0};  // by its number in the plan
  std::string kind;
  nanoseconds at{};  // since the start
};

struct Options {
  std::size_t stalls{100};
  double set_seconds{2};
  std::uint64_t seed{1};

  [[nodiscard]] nanoseconds set_time() const {
    return nanoseconds(static_cast<std::int64_t>(set_seconds * 1e9));
  }
  [[nodiscard]] nanoseconds length() const { return 4 * set_time(); }
};

/// The schedule, identical in all processes: a stall begins in each three quarters of the set time, of a
/// thread that has run for a while.
std::vector<Stall> schedule(const Options& options, std::size_t threads) {
  std::mt19937_64 random(options.seed);
  const nanoseconds apart = options.set_time() * 3 / 4;
  std::vector<nanoseconds> free_at(threads);
  nanoseconds may_spin_at{};
  std::vector<Stall> all;
  for (nanoseconds slot = until_the_first; all.size() < options.stalls; slot += apart) {
    const std::size_t thread = random() % threads;
    const nanoseconds at = slot + apart * static_cast<std::int64_t>(random() % 1000) / 1000;
    std::string kind = kinds.at(random() % kinds.size());
    if (free_at[thread] > slot) continue;
    if (kind == "spin" && may_spin_at > at) kind = kinds.at(1 + random() % (kinds.size() - 1));
    if (kind == "spin") may_spin_at = at + options.length() + options.set_time();
    all.push_back({thread, kind, at});
    free_at[thread] = slot + options.length() + 4 * options.set_time();
  }
  return all;
}

/// The threads of this process.
class StallingThreads {
 public:
  StallingThreads(Session& session, const Options& options)
      : session_(session),
        options_(options),
        stalls_(schedule(options, session.plan().thread_count())),
        begin_(SteadyClock::now()) {
    for (const std::string& name : session.threads()) members_.emplace_back([this, name] { work(name); });
  }
  ~StallingThreads() { is_over_ = true; }

  /// The time when the last stall of all processes has ended and a monitor has had time to look.
  [[nodiscard]] bool is_done() const {
    const nanoseconds last = stalls_.empty() ? nanoseconds{} : stalls_.back().at;
    return SteadyClock::now() > begin_ + last + options_.length() + 3 * options_.set_time();
  }
  [[nodiscard]] bool has_failed() const { return failed_; }

 private:
  void work(const std::string& name) {
    SessionThread& me = session_.thread(name);
    const std::size_t number = session_.plan().find_thread(name)->number();
    std::size_t next = 0;
    for (std::int64_t step = 1; !is_over_ && !failed_; ++step) {
      while (next < stalls_.size() && stalls_[next].thread != number) ++next;
      const std::uint64_t since = Clock::monotonic_now();
      if (me.path("log").write(Tuple::of({step})) != Status::ok) failed_ = !is_over_;
      if (next < stalls_.size() && SteadyClock::now() >= begin_ + stalls_[next].at) {
        stall(me, stalls_[next++].kind, since);
      } else {
        std::this_thread::sleep_for(between_events);
      }
    }
  }

  void stall(SessionThread& me, const std::string& kind, std::uint64_t since) {
    const Time end = SteadyClock::now() + options_.length();
    if (kind == "wait") {
      since = Clock::monotonic_now();  // the operation that it is stuck in is its last event
      (void)me.path("never").read(From::newest, Deadline::after(options_.length()));
    }
    while (SteadyClock::now() < end && !is_over_) {
      if (kind != "spin") std::this_thread::sleep_for(std::min<nanoseconds>(end - SteadyClock::now(), 50ms));
    }
    tell(fmt::format("stall {} {} {} {}\n", me.name(), kind, since, Clock::monotonic_now()));
  }

  // One write for each line, because other processes write to the same pipe.
  void tell(const std::string& line) {
    const std::scoped_lock lock(telling_);
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  }

  Session& session_;
  const Options options_;
  const std::vector<Stall> stalls_;
  const Time begin_;
  std::atomic<bool> is_over_{false}, failed_{false};
  std::mutex telling_;
  std::vector<std::jthread> members_;
};

int run(const Options& options) {
  StopSignals signals;
  Session session = Session::from_environment();
  const StallingThreads threads(session, options);
  while (!threads.is_done() && !threads.has_failed() && !signals.wait_for(20ms)) {
  }
  return threads.has_failed() ? 1 : 0;
}

}  // namespace
}  // namespace eventspace::bench

int main(int argc, char** argv) {
  using namespace eventspace::bench;
  Options options;
  CLI::App app("threads that stall now and then, and say when");
  app.add_option("--stalls", options.stalls, "so many, of all processes")->check(CLI::PositiveNumber);
  app.add_option("--set", options.set_seconds, "the time after which a monitor calls it a stall")
      ->check(CLI::Range(0.01, 60.0));
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  return run_program("stalling_application", [&] { return run(options); });
}
