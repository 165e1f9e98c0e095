// scope_observer PATHMAP SCOPE [--session S] [--rate HZ] [--pulls N] [--priority P]: the simplest monitor.
// Pulls views through SCOPE, as fast as possible or HZ times a second, until SIGTERM or SIGINT, or until N
// views were complete. Then prints the number of views, the time and its processor time as one line of JSON.
// A view is complete if nothing is missing and every trace element was read; the time is measured from the
// first complete view to the last.
//
// --on-request: pulls when it reads a line from standard input, until the end of input, and prints each time
// the time and the number of events that the trace elements have had.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/run_program.h"
#include "collectors/event_record.h"
#include "pathmaps/sessions/consumer.h"
#include "tuplespace/processes/priority.h"

namespace eventspace::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> ending{false};

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

bool is_complete(const View& view, std::size_t sources) {
  return view.missing.empty() && view.sources_read == sources;
}

struct Tally {
  std::uint64_t complete{0};
  std::uint64_t incomplete{0};  ///< after the first complete one
  std::uint64_t records{0};
  std::optional<Clock::time_point> first;
  Clock::time_point last{};
  double cpu_begun{0};
  double cpu_ended{0};

  void add(const View& view, std::size_t sources) {
    if (!is_complete(view, sources)) {
      if (first) ++incomplete;
      return;
    }
    last = Clock::now();
    cpu_ended = cpu_seconds();
    if (!first) {  // counting begins with the end of the first complete view
      first = last;
      cpu_begun = cpu_ended;
      return;
    }
    ++complete;
    records += view.records.size();
  }

  void print() const {
    const std::chrono::duration<double> took = first ? last - *first : Clock::duration{};
    std::puts(
        fmt::format(R"({{"pulls":{},"incomplete":{},"seconds":{:.9f},"records":{},"cpu_seconds":{:.6f}}})",
                    complete, incomplete, took.count(), records, cpu_ended - cpu_begun)
            .c_str());
  }
};

struct Options {
  std::string pathmap;
  std::string scope;
  std::string session;
  double rate{0};
  std::uint64_t pulls{0};
  std::string priority{"normal"};
  bool on_request{false};
};

/// Returns the number of events that the trace elements have had, from a complete view of the newest event of
/// each. Events are numbered from 1.
std::uint64_t count_events(const View& view) {
  std::uint64_t events = 0;
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (!record.in_flight()) events += record.sequence;
  }
  return events;
}

// Before the new run has begun, a view shows the previous run, which is not running.
bool is_running(const View& view) {
  return std::ranges::all_of(view.processes,
                             [](const ProcessReport& process) { return process.state == RunState::running; });
}

void answer_requests(EventScope& scope, std::size_t sources) {
  for (std::string line; std::getline(std::cin, line);) {
    View view = scope.pull({});
    const auto limit = Clock::now() + std::chrono::minutes(1);
    while (!ending && !(is_complete(view, sources) && is_running(view))) {
      if (Clock::now() > limit)
        throw std::runtime_error("no complete view of a running application within a minute");
      view = scope.pull({});
    }
    const std::chrono::duration<double> at = Clock::now().time_since_epoch();
    std::puts(fmt::format(R"({{"seconds":{:.9f},"events":{}}})", at.count(), count_events(view)).c_str());
    std::fflush(stdout);
  }
}

// A measurement at another priority than requested would be wrong.
void take(const std::string& word) {
  const Priority priority = priority_from(word).value_or(Priority::normal);
  const std::string complaint = take_priority(priority) + take_session_priority(priority);
  if (!complaint.empty()) throw std::runtime_error(complaint);
}

void observe(const Options& options) {
  Consumer consumer(options.pathmap, options.session);
  EventScope scope = consumer.open(options.scope);
  const std::size_t sources = count_sources(scope.tree().root);
  const auto between = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.rate > 0 ? 1 / options.rate : 0));
  std::puts("watching");
  std::fflush(stdout);
  if (options.on_request) return answer_requests(scope, sources);
  Tally tally;
  auto next = Clock::now();
  while (!ending && (options.pulls == 0 || tally.complete < options.pulls)) {
    tally.add(scope.pull({}), sources);
    // At a low rate until the first complete view, so as not to disturb the start.
    next = std::max(next + (tally.first ? between : std::chrono::milliseconds(5)), Clock::now());
    std::this_thread::sleep_until(next);
  }
  tally.print();
}

}  // namespace
}  // namespace eventspace::bench

int main(int argc, char** argv) {
  using namespace eventspace::bench;
  Options options;
  CLI::App app("pulls views through a scope and says how fast it went");
  app.add_option("pathmap", options.pathmap)->required();
  app.add_option("scope", options.scope)->required();
  app.add_option("--session", options.session);
  app.add_option("--rate", options.rate, "pulls a second; 0: as fast as possible")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--pulls", options.pulls, "number of complete views; 0: until SIGTERM or SIGINT");
  app.add_option("--priority", options.priority)->check(CLI::IsMember({"idle", "low", "normal"}));
  app.add_flag("--on-request", options.on_request);
  CLI11_PARSE(app, argc, argv);
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { ending = true; });
  return run_program("scope_observer", [&] {
    take(options.priority);
    observe(options);
    return 0;
  });
}
