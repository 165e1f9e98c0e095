#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "monitors/mpi/job_look.h"

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
  inside         ///< all are in the operation, nothing differs, and it does not end
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

struct JobReport {
  std::vector<JobVerdict> verdicts{};  ///< the one for which most ranks wait first
  std::size_t ranks{0};                ///< of the job
  [[nodiscard]] bool is_stalled() const noexcept { return !verdicts.empty(); }
};

}  // namespace eventspace
