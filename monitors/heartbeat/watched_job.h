#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/mpi/call_history.h"
#include "monitors/mpi/job_analysis.h"
#include "monitors/mpi/poll_history.h"

namespace eventspace {

/// An MPI job of a session: the present and past of its ranks, from which verdicts are made. The caller
/// selects the processes of the job and passes their parts of a view: begin(), then add_call() and
/// add_thread(), then finish(). If is_suspect(), it also passes the calls of the past to learn(), and calls
/// complete(). Does no I/O. Not thread-safe.
class WatchedJob {
 public:
  using Reports = std::unordered_map<std::uint32_t, const ProcessReport*>;  ///< by process

  /// `names` must outlive it.
  WatchedJob(const PlanNames& names, std::chrono::nanoseconds stall_after, std::uint32_t job);
  WatchedJob(const WatchedJob&) = delete;  // its members refer to each other
  WatchedJob& operator=(const WatchedJob&) = delete;

  /// Begins a look. `reports` are the latest reports of the job's processes, valid until the next look.
  /// `newest` has the time at which the newest event of each process began or ended, in nanoseconds since
  /// 1970. `has_others`: the session has other jobs. Processes of an earlier job with this number, which have
  /// left their segments, are not part of the job. When another job with this number begins, the past of the
  /// earlier job is forgotten.
  void begin(Reports reports, const std::unordered_map<std::uint32_t, std::int64_t>& newest, bool has_others);
  /// Adds a call of `rank` in the view; ignored if `process` does not belong to the job.
  void add_call(std::uint32_t rank, std::uint32_t process, std::span<const TraceTuple> event);
  /// Adds a thread of the rank, whether or not it calls MPI.
  void add_thread(std::uint32_t rank, std::uint32_t process, const ThreadHealth& health);
  void finish();

  /// Whether a call or a series of polls of the look is as old as a stall.
  [[nodiscard]] bool is_suspect() const;
  /// The past is not available.
  void miss() noexcept { history_.miss(); }
  /// Adds an ended call of the past; each call once. `report` is the report of its process in the same view.
  void learn(std::uint32_t rank, std::span<const TraceTuple> event, const ProcessReport& report);
  /// Adds the past to the look.
  void complete();

  [[nodiscard]] JobReport judge() const { return eventspace::judge(look_, limits_); }
  [[nodiscard]] const JobLook& look() const noexcept { return look_; }
  [[nodiscard]] std::size_t finalized_ranks() const;
  /// A rank that two running processes claim: they belong to two jobs with the same number. Nullopt if there
  /// is no such rank.
  [[nodiscard]] std::optional<std::uint32_t> doubled_rank() const noexcept { return doubled_; }
  [[nodiscard]] bool has_rank(std::uint32_t rank) const { return process_of_rank_.contains(rank); }
  /// Whether `process` is known to have the rank now.
  [[nodiscard]] bool is_of_rank(std::uint32_t rank, std::uint32_t process) const;

 private:
  void find_processes();
  JobThread& thread_of(std::uint32_t rank, std::uint32_t thread);
  void add_state(std::uint32_t rank, const ProcessReport& report, const ThreadHealth& health);
  void judge_end();
  void add_members();
  void learn_duration(std::span<const TraceTuple> event, const ProcessReport& process);
  void set_polls();
  [[nodiscard]] bool polls_only(const JobRank& rank, const JobThread& thread) const;

  const PlanNames* names_;
  std::chrono::nanoseconds stall_after_;
  std::uint32_t job_;
  JobCommunicators communicators_;
  CallReader reader_;
  CallLimits limits_;
  CallHistory history_;
  PollHistory polls_;
  std::map<std::uint32_t, std::uint32_t> process_of_rank_;
  bool had_others_{false};
  // State of the look:
  Reports reports_;
  JobLook look_;
  std::set<std::uint32_t> in_part_;  // ranks with calls that are not recorded
  std::optional<std::uint32_t> doubled_;
};

}  // namespace eventspace
