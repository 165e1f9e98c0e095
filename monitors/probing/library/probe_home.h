#pragma once

#include <list>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/probing.h>
#include "monitors/probing/work/module_cache.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace::probing {

/// The probes of an Application, shared by its handles. Thread-safe: orders are carried out one at a time.
class Probe::Home {
 public:
  /// Requires a checked order.
  Outcome install(const Group& group, const ProbeOrder& order, const CompiledTask& task);
  /// `place`: changes one probe of the process `pid`; 0: all probes of all processes. No effect on removed
  /// probes, and, for a single one, on a place whose probe is now only for a variable.
  Outcome change(ProbeState to, std::int32_t pid = 0, std::uint64_t place = 0);
  /// Removes all probes, and takes no further orders.
  void close();
  Reading read(std::int32_t pid, std::uint64_t place);

  struct Place {
    std::int32_t pid{0};
    std::string module;
    std::string function;
    std::uint64_t place{0};
  };
  /// The places whose probes were not removed.
  std::vector<Place> places();

 private:
  struct Placed {
    ProbedProcess process;
    std::size_t values;
    std::vector<ProbeVariable> variables;
  };

  void install_in(std::int32_t pid, const ProbeOrder& order, const CompiledTask& task, Outcome& outcome);
  ProbePlan plan_in(std::int32_t pid, const ProbeOrder& order, const CompiledTask& task, Outcome& outcome);
  void take_out(ProbedProcess process, Outcome& outcome);
  [[nodiscard]] bool has_probes_in(std::int32_t pid) const;
  [[nodiscard]] bool has_handle(std::int32_t pid, std::uint64_t place) const;
  void note_switched(std::int32_t pid, const ProbeSwitch& order, const InProcess<SwitchedProbes>& switched,
                     Outcome& outcome);

  std::mutex mutex_;
  ModuleCache cache_;
  std::list<Placed> placed_;
  std::set<std::pair<std::int32_t, std::uint64_t>> removed_;
  bool is_closed_{false};
};

}  // namespace eventspace::probing
