// injected_delays --operations N [--seed N] [--least-us X] [--most-us Y] [--interval-ms Z]: a monitor of
// collective operations beside an application in which one random thread comes late to each operation by a
// random time. Writes a CSV row for each operation: the delayed thread and its delay; the thread that truly
// came last, its lag behind the nearest rival, and the maximum error of the clocks of those two; the state of
// the report, and the thread that the monitor names (empty if it is undecided). Only the nodes' clocks are
// simulated: their times are seconds apart, and they run at different rates. Ends with status 1 when no
// operation ends for a minute.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/monitors/late_crew.h"
#include "bench/monitors/verdict_truth.h"
#include "bench/run_program.h"
#include "collectors/clock.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/collectives/collective_watch.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace::bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t max_between_pulls = 20'000;  // operations whose records are kept
constexpr auto patience = 1min;

struct Options {
  std::size_t operations{1000};
  std::uint64_t seed{1};
  double min_us{0.1};
  double max_us{10'000};
  double interval_ms{500};
};

nanoseconds from_us(double us) { return nanoseconds(static_cast<std::int64_t>(us * 1e3)); }

/// A clock with another time and rate than this machine's.
NodeClock odd_clock(std::int64_t ahead_ns, double ppm, std::uint64_t identity) {
  const std::uint64_t begun = Clock::monotonic_now();
  return {[=] {
            const std::uint64_t now = Clock::monotonic_now();
            const double drift = static_cast<double>(now - begun) * ppm * 1e-6;
            return now + static_cast<std::uint64_t>(ahead_ns + static_cast<std::int64_t>(drift));
          },
          identity};
}

/// Compares the reports of the monitor with the true times.
class Judge {
 public:
  Judge(const std::shared_ptr<const Plan>& plan, const std::string& session, std::vector<Delay> delays)
      : plan_(*plan),
        delays_(std::move(delays)),
        monitor_(plan, session),
        witness_(plan, session),
        scope_(monitor_.open("collectives")),
        records_(witness_.open("truth")),
        watch_(plan_, monitor_.names(), scope_.tree()),
        truth_(plan_) {
    std::puts("number,delayed,delay_ns,last,lead_ns,error_ns,state,named");
  }

  /// Pulls once.
  void look() {
    const View view = scope_.pull({});
    truth_.learn(records_.pull({}));  // of all that has ended in `view`
    for (const CollectiveWatch::Operation& operation : watch_.observe(view, SteadyClock::now()))
      judge(operation.report, view.processes);
  }
  [[nodiscard]] bool is_done() const { return judged_ + unknown_ >= delays_.size(); }
  [[nodiscard]] std::size_t judged() const { return judged_; }
  [[nodiscard]] std::size_t unknown() const { return unknown_; }

 private:
  void judge(const OperationReport& report, const std::vector<ProcessReport>& processes) {
    const auto last = truth_.last(report.number, processes);
    truth_.forget(report.number);
    if (!last || report.number == 0 || report.number > delays_.size()) {
      ++unknown_;
      return;
    }
    ++judged_;
    const Delay& delay = delays_[report.number - 1];
    const auto named = report.last.name();
    std::puts(fmt::format("{},{},{},{},{:.0f},{:.0f},{},{}", report.number,
                          plan_.threads[ThreadIndex(delay.thread)].name, delay.by.count(),
                          plan_.threads[ThreadIndex(last->thread)].name, last->lead_ns, last->error_ns,
                          to_string(report.state), named ? watch_.collective(0).shape.edges[*named].name : "")
                  .c_str());
  }

  const Plan& plan_;
  const std::vector<Delay> delays_;
  Consumer monitor_, witness_;
  EventScope scope_, records_;
  CollectiveWatch watch_;
  VerdictTruth truth_;
  std::size_t judged_{0}, unknown_{0};
};

// If the counter is CLOCK_MONOTONIC, it belongs to the clock of the machine, so the nodes must show that
// clock.
std::vector<std::unique_ptr<NodeServer>> start_servers(const std::shared_ptr<const Plan>& plan,
                                                       const std::string& session) {
  const bool may_be_odd = Clock::instance().uses_tsc();
  if (!may_be_odd) std::fputs("the nodes share this machine's clock, as its counter cannot be used", stderr);
  const NodeClock clocks[] = {may_be_odd ? odd_clock(5'000'000'000, 40, 71) : NodeClock(),
                              may_be_odd ? odd_clock(-3'000'000'000, -60, 72) : NodeClock()};
  std::vector<std::unique_ptr<NodeServer>> servers;
  for (const NodeIndex node : plan->nodes.indices()) {
    servers.push_back(
        std::make_unique<NodeServer>(plan, node, NodeServer::Options{session, clocks[node.number()]}));
    servers.back()->start();
  }
  return servers;
}

int run(const Options& options) {
  StopSignals signals;
  const std::string session = fmt::format("bench-delays-{}", getpid());
  const auto plan = LateCrew::plan(max_between_pulls);
  const auto servers = start_servers(plan, session);
  const auto delays = random_delays(options.operations, plan->thread_count(), from_us(options.min_us),
                                    from_us(options.max_us), options.seed);
  Judge judge(plan, session, delays);
  LateCrew crew(plan, session, delays);
  judge.look();  // compares the clocks before the first operation
  crew.begin();
  auto latest = SteadyClock::now();
  while (!judge.is_done() && !signals.wait_for(from_us(options.interval_ms * 1e3))) {
    const std::size_t before = judge.judged();
    judge.look();
    if (judge.judged() != before) latest = SteadyClock::now();
    if (!crew.has_failed() && SteadyClock::now() - latest < patience) continue;
    std::fputs(fmt::format("after {} operations no more ended", judge.judged()).c_str(), stderr);
    return 1;
  }
  if (judge.unknown() > 0)
    std::fputs(fmt::format("of {} operations not all records were read", judge.unknown()).c_str(), stderr);
  return judge.is_done() ? 0 : 1;
}

}  // namespace
}  // namespace eventspace::bench

int main(int argc, char** argv) {
  using namespace eventspace::bench;
  Options options;
  CLI::App app("delays that are injected into collective operations, and whom a monitor names");
  app.add_option("--operations", options.operations)->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", options.seed);
  app.add_option("--least-us", options.min_us)->check(CLI::PositiveNumber);
  app.add_option("--most-us", options.max_us)->check(CLI::PositiveNumber);
  app.add_option("--interval-ms", options.interval_ms, "between pulls")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return run_program("injected_delays", [&] { return run(options); });
}
