#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// The job that the launcher of MPI has started. Jobs that MPI_Comm_spawn starts have higher numbers.
inline constexpr std::uint32_t first_job = 1;

/// The place of a process in the MPI jobs of a session.
struct JobMember {
  /// Ranks are at most this, less one: analyses have an entry for each rank, and processes are not trusted.
  static constexpr std::uint32_t max_ranks = 1u << 20;

  std::uint32_t job{first_job};
  std::uint32_t rank{0};  ///< in its job's MPI_COMM_WORLD
  friend bool operator==(const JobMember&, const JobMember&) = default;

  /// Whether the numbers are in their ranges.
  [[nodiscard]] bool is_sound() const noexcept { return job >= first_job && rank < max_ranks; }
  /// The rank in the first job; nullopt for a process of a spawned job.
  [[nodiscard]] std::optional<std::uint32_t> first_job_rank() const noexcept {
    return job == first_job ? std::optional(rank) : std::nullopt;
  }
  /// "JOB:RANK", the form of names (OwnNameOf::member, OwnNameOf::spawned_job).
  [[nodiscard]] std::string text() const;
  /// Parses such a text; nullopt if it does not name a process.
  static std::optional<JobMember> parse(std::string_view text) noexcept;
};

}  // namespace eventspace
