#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/mpi/call_history.h"
#include "monitors/mpi/job_analysis.h"
#include "monitors/mpi/poll_history.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Whether the thread calls MPI.
bool is_of_mpi(const ThreadHealth& health) noexcept;

/// Judges the threads of MPI jobs in a heartbeat together. A thread that waits in a call, or computes, for
/// longer than the set time is stalled only if a verdict on the job says so: the others become `waiting` or
/// `apart`. Does no I/O but through `past`. Not thread-safe.
class JobHealth {
 public:
  /// `past` yields views of all events that trace elements still have, once each; it is asked only when a
  /// call has been in flight for the set time, and may be null. `timeline` says whether a view of `past` had
  /// all there was (Timeline::has_rest); null: always. All must outlive this object.
  JobHealth(const PlanNames& names, std::chrono::nanoseconds stall_after, ViewSource* past,
            Timeline* timeline = nullptr);

  /// `view` is the one from which `report` was made; a pull of `past` takes `patience` at most. Sets
  /// HealthReport::job and changes the verdicts, culprits and the number of stalled threads.
  void judge(const View& view, Timeline::Time at, std::chrono::nanoseconds patience, HealthReport& report);

 private:
  using Reports = std::unordered_map<std::uint32_t, const ProcessReport*>;

  JobLook look_of(const View& view, const HealthReport& report);
  Reports reports_of_job(const View& view);
  void add_calls(JobLook& look, const View& view, const Reports& reports);
  void add_state(JobLook& look, const ThreadHealth& health, const Reports& reports);
  void set_polls(JobLook& look, const View& view) const;
  [[nodiscard]] bool polls_only(const JobRank& rank, const JobThread& thread) const;
  void judge_end(JobLook& look, const HealthReport& report, const Reports& reports);
  void add_members(JobLook& look);
  JobThread* thread_of(JobLook& look, std::uint32_t thread);
  [[nodiscard]] std::optional<std::uint32_t> rank_of(std::uint32_t thread) const;
  [[nodiscard]] bool is_of_spawned(std::uint32_t thread) const;
  void learn_duration(std::span<const TraceTuple> event, const ProcessReport& process);
  [[nodiscard]] bool is_suspect(const JobLook& look) const;
  void learn_past(Timeline::Time at, std::chrono::nanoseconds patience);
  void learn_from(const View& past);
  [[nodiscard]] bool is_of_earlier_job(const ThreadHealth& health) const;
  void apply(const JobLook& look, HealthReport& report) const;

  const PlanNames* names_;
  std::chrono::nanoseconds stall_after_;
  ViewSource* past_;
  Timeline* timeline_;
  JobCommunicators communicators_;
  CallReader reader_;
  CallLimits limits_;
  CallHistory history_;
  PollHistory polls_;
  std::map<std::uint32_t, std::uint32_t> process_of_rank_;
};

}  // namespace eventspace
