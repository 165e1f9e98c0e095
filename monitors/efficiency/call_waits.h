#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "monitors/efficiency/ideal_clocks.h"
#include "monitors/mpi/job_communicators.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"
#include "scopes/metrics/events/event_condition.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::efficiency {

/// Derives from the records of a call which units it would wait for on an ideal network. There, a send does
/// not wait for its receive, unless it is a synchronous one; calls that wait for others as defined in
/// scopes/metrics/language/waiting.h still do. The members of blocking collective operations of MPI, and of
/// exchanges on paths, are known; the partners of other calls are not. A thread that polls waits as one that
/// blocks, although no single call does. Not thread-safe.
class CallWaits {
 public:
  /// `plan` may be null, for programs without paths. Both must outlive it.
  CallWaits(const Plan* plan, const PlanNames& names);

  struct Waits {
    IdealClocks::Waits kind{IdealClocks::Waits::never};
    IdealClocks::Operation operation{};
    std::size_t members{0};
  };
  [[nodiscard]] Waits of(std::span<const TraceTuple> event, const ProcessReport& process);

 private:
  [[nodiscard]] Waits of_mpi(const TraceTuple& record, const ProcessReport& process, bool may_wait);
  [[nodiscard]] Waits of_operation(const TraceTuple& record, bool may_wait) const;

  const PlanNames* names_;
  metrics::EventCondition waits_for_others_;
  JobCommunicators communicators_;
  struct Collective {
    std::uint32_t number{0};
    std::size_t members{0};
  };
  std::map<std::uint32_t, Collective> collective_of_path_;  // paths of threads
  std::set<std::uint32_t> waits_for_room_;                  // paths whose writes may do so
};

}  // namespace eventspace::efficiency
