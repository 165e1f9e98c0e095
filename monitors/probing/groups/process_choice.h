#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// Which running processes a command is for: those with one of the `pids`, `names` or `jobs`, those that
/// record as one of the `recorded` or are in one of the `communicators` of MPI, and those of the `groups`; if
/// none of these is given, all of this user (for root, all). Of them those for which `where` holds, that are
/// in each group of `within`, and in none of `without`.
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

  /// Whether it says nothing: a command asks for it then.
  [[nodiscard]] bool is_empty() const noexcept { return pids.empty() && has_pids_only(); }
  /// Whether it can be made without looking at any process.
  [[nodiscard]] bool has_pids_only() const noexcept {
    return names.empty() && jobs.empty() && recorded.empty() && communicators.empty() && groups.empty() &&
           within.empty() && without.empty() && where.empty();
  }
  /// The names of all groups that it names.
  [[nodiscard]] std::vector<std::string> named_groups() const;

  friend bool operator==(const ProcessChoice&, const ProcessChoice&) = default;
};

/// Groups by their names. What the choice of a group means is looked up each time that it is used.
using ProcessGroups = std::map<std::string, ProcessChoice, std::less<>>;

/// The choice on one line: "name=lmp<TAB>where=rank < 4". Throws ConfigurationError if a value has a tab or a
/// line break.
std::string to_text(const ProcessChoice& choice);
/// Reads such a line, which anybody may have written, and checks all its parts: patterns, conditions, names
/// and how many there are. Throws ConfigurationError.
ProcessChoice parse_choice(std::string_view text);

/// Throws ConfigurationError for a faulty pattern, condition or name, or for more than `most_parts` of them.
void check_choice(const ProcessChoice& choice);
inline constexpr std::size_t most_parts = 4096;

/// Throws ConfigurationError if the choice names a group that `groups` lacks, with the known ones; or if a
/// group is a part of itself, or is made of others more than 16 deep.
void check_groups(const ProcessChoice& choice, const ProcessGroups& groups);

/// Those of the groups that the choice needs, by its own parts and those of its groups.
ProcessGroups groups_needed(const ProcessChoice& choice, const ProcessGroups& groups);

}  // namespace eventspace
