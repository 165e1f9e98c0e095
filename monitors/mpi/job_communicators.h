#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "monitors/mpi/job_member.h"
#include "paths/views/rank_set.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The members of the communicators of an MPI job whose names have come. Not thread-safe.
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
  /// Null: the members are not known. Valid as long as this object.
  const Members* find(std::uint32_t communicator);
  [[nodiscard]] const std::map<std::uint32_t, Members>& known() const noexcept { return known_; }
  /// Whether it is the MPI_COMM_WORLD of a job by its name, so that its ranks are known even if its members
  /// are not: two jobs of a session may have had one of different sizes.
  [[nodiscard]] bool is_world(std::uint32_t communicator) const;
  /// The rank in MPI_COMM_WORLD of `rank` as `member` names it: of an intercommunicator, in the other group.
  /// Without a value if it is not known.
  std::optional<std::uint32_t> partner(std::uint32_t communicator, std::uint32_t member, std::uint32_t rank);

 private:
  const PlanNames* names_;
  std::map<std::uint32_t, Members> known_;
};

}  // namespace eventspace
