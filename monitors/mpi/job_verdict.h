#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/mpi/job_look.h"
#include "tuplespace/system/job_member.h"

namespace eventspace {

/// Why ranks of an MPI job wait without visible progress.
enum class JobFault : std::uint8_t {
  dead,          ///< the awaited processes are gone
  stopped,       ///< the awaited processes are stopped by a signal
  mismatch,      ///< the members of a communicator call different functions, or use different roots or sizes
  order,         ///< ranks enter operations of several communicators in different orders
  lost_message,  ///< a receive without a send or a send without a receive: the partner waits elsewhere, or
                 ///< has left
  cycle,         ///< ranks wait for messages from one another in a circle
  absent,        ///< the awaited ranks are outside MPI, or in a call whose wait is unknown
  alive,         ///< the awaited ranks make progress, but have not come
  inside,        ///< all members are in the operation, their calls agree, and it does not end
  across         ///< the ranks wait for another job, which is not followed
};
std::string_view to_string(JobFault fault) noexcept;

/// Ranks that do the same.
struct JobGroup {
  RankSet ranks{};
  JobProcess process{JobProcess::computing};
  std::optional<JobCall> in_flight{};  ///< of the first rank
  std::optional<JobCall> last{};       ///< of the first rank, if no call is in flight
  bool has_one_partner{true};          ///< whether all await the same partner as the first
  std::chrono::nanoseconds longest{0};
};

/// One cause, and all ranks that wait because of it.
struct JobVerdict {
  std::uint32_t job{first_job};
  bool is_of_several{false};  ///< the session has several jobs, so a rank alone does not name a process
  JobFault fault{JobFault::absent};
  RankSet culprits{};  ///< the minority, where there is one
  RankSet waiting{};   ///< other ranks that wait because of it, directly or through others
  std::vector<JobGroup>
      doing{};  ///< activity of the culprits; for a mismatch or an order, of the majority as well
  std::vector<JobGroup> waits{};            ///< calls of the waiting ranks; the largest group first
  std::optional<JobOperation> at{};         ///< the operation that the culprits have not entered
  std::optional<JobCall> there{};           ///< the call of a rank that is in this operation
  std::chrono::nanoseconds longest{0};      ///< the longest wait of a rank
  std::vector<JobLook::Lost> unreceived{};  ///< for a lost message: messages that its sender sent instead
};

/// Summary of a job as a whole.
struct JobSummary {
  std::uint32_t job{first_job};
  std::size_t ranks{0};
  std::optional<JobMember> parent{};  ///< the root of the MPI_Comm_spawn that started it, if known
  bool is_parent_seen{false};         ///< the session has a process of that job and rank
  std::string not_judged{};           ///< the reason; empty if the job is judged
  [[nodiscard]] bool is_spawned() const noexcept { return job != first_job; }
};

/// The verdicts on one job, or on all jobs of a session together.
struct JobReport {
  std::vector<JobVerdict> verdicts{};  ///< sorted: most waiting ranks first
  /// Overdue waits for other jobs, of fault `across`. They are not stalls, because the other jobs may make
  /// progress.
  std::vector<JobVerdict> unfollowed{};
  std::vector<JobSummary> jobs{};  ///< by number
  std::size_t ranks{0};            ///< of all jobs
  /// All threads that call MPI, of all running ranks, are in calls that wait: no rank can continue without
  /// another job.
  bool is_still{false};
  [[nodiscard]] bool is_stalled() const noexcept { return !verdicts.empty(); }
};

}  // namespace eventspace
