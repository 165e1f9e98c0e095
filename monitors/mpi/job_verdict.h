#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/mpi/job_look.h"
#include "monitors/mpi/job_member.h"

namespace eventspace {

/// Why ranks of an MPI job wait, and wait in vain as far as can be seen.
enum class JobFault : std::uint8_t {
  dead,          ///< the awaited processes are gone
  stopped,       ///< the awaited processes are stopped by a signal
  mismatch,      ///< the members of a communicator call different functions, or with other roots or sizes
  order,         ///< ranks enter operations of several communicators in different orders
  lost_message,  ///< a receive has no send, or a send no receive: the partner waits elsewhere, or has left
  cycle,         ///< ranks wait for messages from one another in a circle
  absent,        ///< the awaited ranks are outside MPI, or in a call that waits for nothing that is known
  alive,         ///< the awaited ranks make progress, but have not come
  inside,        ///< all are in the operation, nothing differs, and it does not end
  across         ///< they wait for another job, which is not followed
};
std::string_view to_string(JobFault fault) noexcept;

/// Ranks that do the same.
struct JobGroup {
  RankSet ranks{};
  JobProcess process{JobProcess::computing};
  std::optional<JobCall> in_flight{};  ///< of the first of them
  std::optional<JobCall> last{};       ///< likewise, if no call is in flight
  bool has_one_partner{true};          ///< whether all await what the first awaits
  std::chrono::nanoseconds longest{0};
};

/// One cause, and all that waits because of it.
struct JobVerdict {
  std::uint32_t job{first_job};
  bool is_of_several{false};  ///< the session has several jobs, so that a rank alone does not name a process
  JobFault fault{JobFault::absent};
  RankSet culprits{};                ///< the minority, where there is one
  RankSet waiting{};                 ///< others that wait because of it, directly or through others
  std::vector<JobGroup> doing{};     ///< what the culprits do; of a mismatch and an order also the majority
  std::vector<JobGroup> waits{};     ///< what those that wait are in; the largest group first
  std::optional<JobOperation> at{};  ///< the operation that lacks them
  std::optional<JobCall> there{};    ///< the call of a rank that is in that operation
  std::chrono::nanoseconds longest{0};      ///< how long a rank has waited
  std::vector<JobLook::Lost> unreceived{};  ///< of a lost message: what its sender sent instead
};

/// What is known of a job as a whole.
struct JobSummary {
  std::uint32_t job{first_job};
  std::size_t ranks{0};
  std::optional<JobMember> parent{};  ///< the root of the MPI_Comm_spawn that has started it, if it is known
  bool is_parent_seen{false};         ///< a process of that job and rank is in the session
  std::string not_judged{};           ///< why; empty: it is judged
  [[nodiscard]] bool is_spawned() const noexcept { return job != first_job; }
};

/// Of one job, or of all jobs of a session together.
struct JobReport {
  std::vector<JobVerdict> verdicts{};  ///< the one for which most ranks wait first
  /// Overdue waits for other jobs, which say nothing of whether those go on: no stalls. Of fault `across`.
  std::vector<JobVerdict> unfollowed{};
  std::vector<JobSummary> jobs{};  ///< by number
  std::size_t ranks{0};            ///< of all jobs
  /// All that run are in calls that wait, on all threads that call MPI: none goes on without another job.
  bool is_still{false};
  [[nodiscard]] bool is_stalled() const noexcept { return !verdicts.empty(); }
};

}  // namespace eventspace
