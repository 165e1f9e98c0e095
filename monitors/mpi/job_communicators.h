#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <eventspace/rank_set.h>
#include "scopes/tree/plan_names.h"
#include "tuplespace/system/job_member.h"

namespace eventspace {

/// The members of those communicators of an MPI job whose names were received. Not thread-safe.
class JobCommunicators {
 public:
  static constexpr std::size_t most = 65536;

  struct Members {
    std::vector<std::uint32_t> group{};        ///< ranks in MPI_COMM_WORLD, by rank in the communicator
    std::vector<std::uint32_t> other_group{};  ///< of an intercommunicator
    RankSet ranks{};                           ///< both groups
    RankSet ranks_of_group{};
  };

  /// `names` must outlive it.
  explicit JobCommunicators(const PlanNames& names) noexcept : names_(&names) {}
  /// Returns null if the members are not known. The pointer is valid as long as this object.
  const Members* find(std::uint32_t communicator);
  [[nodiscard]] const std::map<std::uint32_t, Members>& known() const noexcept { return known_; }
  /// Whether it is the MPI_COMM_WORLD of a job by its name. Its ranks are then known even if its members are
  /// not: two jobs of a session may have worlds of different sizes.
  [[nodiscard]] bool is_world(std::uint32_t communicator) const;
  /// The size of the first job, if this is its MPI_COMM_WORLD by its name, even if its members are not known.
  [[nodiscard]] std::optional<std::uint32_t> size_of_first_world(std::uint32_t communicator) const;
  /// The rank in MPI_COMM_WORLD of `rank` as `member` uses it: in an intercommunicator, a rank of the other
  /// group. Returns nullopt if it is not known.
  std::optional<std::uint32_t> partner(std::uint32_t communicator, std::uint32_t member, std::uint32_t rank);

 private:
  const PlanNames* names_;
  std::map<std::uint32_t, Members> known_;
};

}  // namespace eventspace
