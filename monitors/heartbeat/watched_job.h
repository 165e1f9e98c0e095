#pragma once

// Private to monitors/.

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

/// One MPI job of a session: what its ranks do and did, from which the verdicts on it are made. The caller
/// knows which processes are of the job, and hands over what views say of them: begin(), then add_call() and
/// add_thread(), then finish(). If the look is then suspect, learn() what the past has, and complete().
/// Does no I/O. Not thread-safe.
class WatchedJob {
 public:
  using Reports = std::unordered_map<std::uint32_t, const ProcessReport*>;  ///< by process

  /// `names` must outlive it.
  WatchedJob(const PlanNames& names, std::chrono::nanoseconds stall_after, std::uint32_t job);
  WatchedJob(const WatchedJob&) = delete;  // its parts know each other
  WatchedJob& operator=(const WatchedJob&) = delete;

  /// A look begins. `reports`: the latest ones of the job's processes, valid until the next look. `newest`:
  /// by process, when its newest event began or ended, in nanoseconds since 1970. `has_others`: the session
  /// has other jobs, too. Processes of an earlier job of this number, which have left their segments, are not
  /// part of the job; when another one begins, what was learned of the earlier one is forgotten.
  void begin(Reports reports, const std::unordered_map<std::uint32_t, std::int64_t>& newest, bool has_others);
  /// A call of `rank` in the view; ignored if `process` is none of the job.
  void add_call(std::uint32_t rank, std::uint32_t process, std::span<const TraceTuple> event);
  /// A thread of the rank, which may not call MPI.
  void add_thread(std::uint32_t rank, std::uint32_t process, const ThreadHealth& health);
  void finish();

  /// Whether a call, or a series of polls, of the look is as old as a stall.
  [[nodiscard]] bool is_suspect() const;
  /// The past cannot be asked.
  void miss() noexcept { history_.miss(); }
  /// An ended call that the past has, once. `report`: that of its process in the same view.
  void learn(std::uint32_t rank, std::span<const TraceTuple> event, const ProcessReport& report);
  /// The look gets what the past says of it.
  void complete();

  [[nodiscard]] JobReport judge() const { return eventspace::judge(look_, limits_); }
  [[nodiscard]] const JobLook& look() const noexcept { return look_; }
  [[nodiscard]] std::size_t finalized_ranks() const;
  /// A rank that two processes which run claim at once: they are of two jobs that have one number. Without a
  /// value if there is none.
  [[nodiscard]] std::optional<std::uint32_t> doubled_rank() const noexcept { return doubled_; }
  [[nodiscard]] bool has_rank(std::uint32_t rank) const { return process_of_rank_.contains(rank); }
  /// Whether `process` is the one that has the rank now, as far as is known.
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
  // Of the look:
  Reports reports_;
  JobLook look_;
  std::set<std::uint32_t> in_part_;  // ranks of which not all calls are recorded
  std::optional<std::uint32_t> doubled_;
};

}  // namespace eventspace
