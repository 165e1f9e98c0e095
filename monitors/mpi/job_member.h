#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>
#include <string_view>

namespace eventspace {

/// The job that the launcher of MPI has started. Jobs that MPI_Comm_spawn starts have higher numbers.
inline constexpr std::uint32_t first_job = 1;

/// A process of an MPI job of a session.
struct JobMember {
  std::uint32_t job{first_job};
  std::uint32_t rank{0};  ///< in its job's MPI_COMM_WORLD
  friend bool operator==(const JobMember&, const JobMember&) = default;
};

/// The job and the rank at the end of a process name: "app.3" is rank 3 of the first job, "app.2:3" rank 3 of
/// job 2. Returns nullopt if the name has no rank, or the rank is 2^20 or more.
std::optional<JobMember> member_in_name(std::string_view process);
/// As above, for processes of the first job only: 3 for "app.3", nullopt for "app.2:3".
std::optional<std::uint32_t> rank_in_name(std::string_view process);
/// The process that PlanNames::parent_of_job names; nullopt if the text does not name a process.
std::optional<JobMember> member_in_text(std::string_view text);

}  // namespace eventspace
