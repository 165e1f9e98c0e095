// Counts and times the calls of functions in running, unprepared programs.
//
//     calls PROGRAM FUNCTIONS [SECONDS]     such as: calls lmp 'LAMMPS_NS::Pair*::compute' 10
//
// Each second it writes the number of calls of each function since the last line. At the end it switches off
// the busiest probe, shows that it no longer counts, and removes all probes.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/probing.h>

namespace probing = eventspace::probing;
using namespace std::chrono_literals;

namespace {

void report(const char* what, const probing::Outcome& outcome) {
  std::cout << what << ": " << outcome.probes << " probes in " << outcome.done << " of " << outcome.processes
            << " processes; a thread stood still for " << outcome.longest_stop / 1us << " us at most\n";
  for (const probing::Outcome::Refusal& refusal : outcome.refusals)
    std::cout << "  process " << refusal.pid << ": " << refusal.reason << '\n';
}

/// Writes the increase of the counts since the last time.
class Rates {
 public:
  void show(const std::vector<std::pair<probing::Probe, probing::Reading>>& readings) {
    for (const auto& [probe, reading] : readings) {
      std::uint64_t& before = before_[probe.function() + " of " + std::to_string(probe.pid())];
      const std::int64_t ended = reading.measured == 0 ? 1 : static_cast<std::int64_t>(reading.measured);
      std::cout << probe.function() << " of " << probe.pid() << ": " << reading.calls - before << " calls, "
                << (reading.total / ended).count() << " ns each\n";
      before = reading.calls;
    }
    std::cout << std::flush;
  }

 private:
  std::map<std::string, std::uint64_t> before_;
};

/// A handle of one probe: it is switched without affecting the others.
void switch_busiest_off(const probing::Application& application) {
  const std::vector<probing::Probe> probes = application.probes();
  if (probes.empty()) return;
  probing::Probe busiest = probes.front();
  for (const probing::Probe& probe : probes)
    if (probe.read().calls > busiest.read().calls) busiest = probe;
  report("off", busiest.switch_off());
  const std::uint64_t calls = busiest.read().calls;
  std::this_thread::sleep_for(100ms);
  std::cout << busiest.function() << " is off: " << busiest.read().calls - calls << " calls more\n";
}

int run(const std::string& program, const std::string& functions, std::chrono::seconds time) {
  probing::Application application(probing::Group::of_name(program));
  if (application.processes().empty()) {
    std::cerr << "calls: no program '" << program << "' runs on this machine\n";
    return 1;
  }
  // With a callback it returns at once; without one, an order blocks and returns its outcome.
  application.install({.functions = functions, .has_times = true},
                      [](const probing::Outcome& outcome) { report("installed", outcome); });
  application.wait();
  Rates rates;
  application.watch(1s, [&](const auto& readings) { rates.show(readings); });
  std::this_thread::sleep_for(time);
  application.stop_watching();
  switch_busiest_off(application);
  report("removed", application.remove());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::cerr << "usage: calls PROGRAM FUNCTIONS [SECONDS]\n";
    return 2;
  }
  try {
    return run(words[1], words[2], std::chrono::seconds(count > 3 ? std::atoi(words[3]) : 10));
  } catch (const eventspace::Error& error) {
    std::cerr << "calls: " << error.what() << '\n';
    return 2;
  }
}
