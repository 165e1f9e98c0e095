// steady_senders --rate R: the processes of a pathmap of bench/metrics/messages.py, for `eventspace run`.
// Each thread writes R tuples per second to its path `log`, passes the probe `iteration_end` after each tenth
// tuple, but at most 100 times per second, and continues until a signal ends it. A thread's trace element of
// probes keeps 1000 records: more would be overwritten while a reader is late by a second.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>

#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "bench/run_program.h"
#include "monitors/cli/stop_signals.h"

namespace {

using namespace eventspace;

/// The number of tuples of an iteration.
std::int64_t iteration_at(double rate) {
  constexpr std::int64_t least = 10;
  constexpr double max_a_second = 100;
  return std::max(least, static_cast<std::int64_t>(rate / max_a_second));
}

/// Writes the next tuple, and ends the iteration after its last tuple.
void write(SessionThread& thread, Path& log, std::int64_t number, std::int64_t iteration) {
  (void)log.write(Tuple::of({number}));
  if (number % iteration != 0) return;
  thread.set_virtual_time(number / iteration);
  EVENTSPACE_PROBE("iteration_end");
}

int send(double rate) {
  StopSignals signals;
  Session session = Session::from_environment();
  SessionThread& thread = session.thread(session.threads().front());
  Path& log = thread.path("log");
  std::cout << "ready" << std::endl;
  const auto begun = std::chrono::steady_clock::now();
  for (std::int64_t done = 0; !signals.wait_for(std::chrono::milliseconds(1));) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    const auto until = static_cast<std::int64_t>(passed.count() * rate);
    while (done < until) write(thread, log, ++done, iteration_at(rate));
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  double rate = 100;
  CLI::App program("writes to its log at a steady rate, until a signal ends it");
  program.add_option("--rate", rate, "a second")->check(CLI::PositiveNumber);
  CLI11_PARSE(program, count, words);
  return eventspace::bench::run_program("steady_senders", [&] { return send(rate); });
}
