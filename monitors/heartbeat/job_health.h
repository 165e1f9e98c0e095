#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/heartbeat/watched_job.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Whether the thread calls MPI.
bool is_of_mpi(const ThreadHealth& health) noexcept;

/// Judges the threads of the MPI jobs of a session in a heartbeat. Each job is judged as a whole: the job of
/// the launcher, and each job that MPI_Comm_spawn has started. A thread that waits in a call, or computes,
/// for longer than the set time is stalled only if a verdict on its job names it; other such threads become
/// `waiting` or `apart`. Does I/O only through `past`. Not thread-safe.
///
/// Waits for another job are not followed and do not count as stalls (JobReport::unfollowed). They become
/// verdicts of fault `across` only if no rank of any job makes progress and all processes are visible.
///
/// A job in which two processes claim the same rank is not judged, because its number stands for several
/// jobs. Jobs beyond `max_jobs` at one time are not judged either. JobSummary::not_judged has the reason.
class JobHealth {
 public:
  static constexpr std::size_t max_jobs = 256;

  /// `past` yields views of all events that trace elements still have, each once. It is pulled only when a
  /// call has been in flight for the set time, and may be null. `timeline` returns whether a view of `past`
  /// was complete (Timeline::has_rest); null means always. All must outlive this object.
  JobHealth(const PlanNames& names, std::chrono::nanoseconds stall_after, ViewSource* past,
            Timeline* timeline = nullptr);

  /// `report` was made from `view`; a pull of `past` takes up to `patience`. Sets HealthReport::job and
  /// changes the verdicts, culprits and the number of stalled threads.
  void judge(const View& view, Timeline::Time at, std::chrono::nanoseconds patience, HealthReport& report);

 private:
  [[nodiscard]] std::optional<JobMember> member_of(std::uint32_t thread) const;
  WatchedJob* job_of(std::uint32_t number);
  void look(const View& view, const HealthReport& report);
  void begin(const View& view);
  void learn_past(Timeline::Time at, std::chrono::nanoseconds patience);
  void learn_from(const View& past);
  JobReport judge_all(bool is_whole) const;
  void judge_one(std::uint32_t number, const WatchedJob& job, JobReport& report) const;
  [[nodiscard]] JobSummary summary_of(std::uint32_t number, const WatchedJob* job) const;
  [[nodiscard]] bool is_seen(const JobMember& member) const;
  [[nodiscard]] bool is_of_earlier_job(const ThreadHealth& health) const;
  void apply(HealthReport& report) const;
  [[nodiscard]] std::set<std::uint32_t> polling_threads() const;

  const PlanNames* names_;
  std::chrono::nanoseconds stall_after_;
  ViewSource* past_;
  Timeline* timeline_;
  std::map<std::uint32_t, WatchedJob> jobs_;       // by number
  std::map<std::uint32_t, std::size_t> left_out_;  // number of processes of jobs without room
  bool has_more_{false};                           // even more jobs were left out
};

}  // namespace eventspace
