#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// Selects running processes for a command. Candidates are the processes with one of the `pids`, `names` or
/// `jobs`, those that record as one of the `recorded` or are in one of the MPI `communicators`, and those of
/// the `groups`. If none of these is given, all processes of this user are candidates (for root, all). Chosen
/// are the candidates for which `where` holds, and that are in each group of `within` and in none of
/// `without`.
struct ProcessChoice {
  std::vector<std::int32_t> pids{};
  std::vector<std::string> names{};          ///< patterns (paths/parameters/glob.h) of the names of programs
  std::vector<std::string> jobs{};           ///< ids of parallel jobs (ProcessFacts::is_of_job)
  std::vector<std::string> recorded{};       ///< patterns of "SESSION/PROCESS"
  std::vector<std::string> communicators{};  ///< patterns of their names, with or without their size
  std::vector<std::string> groups{};
  std::vector<std::string> within{};
  std::vector<std::string> without{};
  std::string where{};  ///< a condition over processes (process_condition.h); empty: all

  /// Whether the choice is empty; a command then requires one.
  [[nodiscard]] bool is_empty() const noexcept { return pids.empty() && has_pids_only(); }
  /// Whether it can be evaluated without inspecting any process.
  [[nodiscard]] bool has_pids_only() const noexcept {
    return names.empty() && jobs.empty() && recorded.empty() && communicators.empty() && groups.empty() &&
           within.empty() && without.empty() && where.empty();
  }
  /// The names of all groups that the choice refers to.
  [[nodiscard]] std::vector<std::string> named_groups() const;

  friend bool operator==(const ProcessChoice&, const ProcessChoice&) = default;
};

/// Groups by name. A group is evaluated at each use.
using ProcessGroups = std::map<std::string, ProcessChoice, std::less<>>;

/// The choice on one line: "name=lmp<TAB>where=rank < 4". Throws ConfigurationError if a value has a tab or a
/// line break.
std::string to_text(const ProcessChoice& choice);
/// Parses such a line from an untrusted source, and checks all its parts: patterns, conditions, names and how
/// many there are. Throws ConfigurationError.
ProcessChoice parse_choice(std::string_view text);

/// Throws ConfigurationError for an invalid pattern, condition or name, or for more than `max_parts` of
/// them.
void check_choice(const ProcessChoice& choice);
inline constexpr std::size_t max_parts = 4096;

/// Throws ConfigurationError if the choice refers to a group that `groups` lacks, with the known ones; or if
/// a group contains itself, or nests more than 16 deep.
void check_groups(const ProcessChoice& choice, const ProcessGroups& groups);

/// The groups that the choice needs, directly and through its groups.
ProcessGroups groups_needed(const ProcessChoice& choice, const ProcessGroups& groups);

}  // namespace eventspace
