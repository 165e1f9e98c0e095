// steady_ranks --rate R: the process of a pathmap of bench/web/ranks.py, for `eventspace run`. Each of its
// threads writes R tuples per second to each of its paths, until a signal ends it. One thread of the system
// does this for all: a machine with two cores cannot run a thousand threads at steady rates.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <vector>

#include <eventspace/session.h>
#include "bench/run_program.h"
#include "monitors/cli/stop_signals.h"
#include "pathmaps/plan/plan.h"

namespace {

using namespace eventspace;

std::vector<Path*> paths_of(Session& session) {
  std::vector<Path*> paths;
  const Plan& plan = session.plan();
  for (const PathPlan& path : plan.paths)
    paths.push_back(&session.thread(plan.threads[path.thread].name).path(path.name));
  return paths;
}

int send(double rate) {
  StopSignals signals;
  Session session = Session::from_environment();
  const std::vector<Path*> paths = paths_of(session);
  std::cout << "ready" << std::endl;
  const auto begun = std::chrono::steady_clock::now();
  for (std::int64_t done = 0; !signals.wait_for(std::chrono::milliseconds(1));) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    const auto until = static_cast<std::int64_t>(passed.count() * rate);
    for (; done < until; ++done)
      for (Path* const path : paths) (void)path->write(Tuple::of({done}));
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  double rate = 10;
  CLI::App program("writes to all paths at a steady rate, until a signal ends it");
  program.add_option("--rate", rate, "a second")->check(CLI::PositiveNumber);
  CLI11_PARSE(program, count, words);
  return eventspace::bench::run_program("steady_ranks", [&] { return send(rate); });
}
