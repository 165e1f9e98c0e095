#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "paths/views/rank_set.h"

namespace eventspace::streams {

class StoredNames;

/// The groups of a session: named sets of end-points that all programs of this user on this machine share.
/// They are stored in a file in runtime_directory() that only this user can read, as lines "NAME RANKS",
/// until they are removed or the machine restarts. Ranks are those in a network over the session's processes.
///
///     StoredGroups groups("solver");
///     groups.store("upper", end_points.set("upper"));
///     front_end.set_members(stream, groups.find("upper"));
///
/// Each function reads the file. Changes are atomic, also with respect to other programs. Thread-safe.
/// Functions throw EnvironmentError if the file cannot be read or written.
class StoredGroups {
 public:
  static constexpr std::size_t max_groups = 1000;
  static constexpr std::size_t longest_name = 63;  ///< bytes

  explicit StoredGroups(std::string_view session);

  /// Stores a set under a name; an existing one is replaced. Throws ConfigurationError if the name is not a
  /// letter followed by letters, digits, '.', '-' and '_', is too long, or is "all"; if the set is empty; or
  /// if there are too many groups.
  void store(std::string_view name, const RankSet& ranks) const;
  /// Returns whether the group existed.
  bool remove(std::string_view name) const;
  /// Throws ConfigurationError, with the known names, if the group does not exist.
  [[nodiscard]] RankSet find(std::string_view name) const;
  [[nodiscard]] std::map<std::string, RankSet, std::less<>> all() const;

 private:
  [[nodiscard]] StoredNames names() const;

  std::filesystem::path file_;
  std::string session_;
};

}  // namespace eventspace::streams
