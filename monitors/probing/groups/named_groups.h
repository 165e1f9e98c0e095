#pragma once

#include <string_view>

#include "monitors/probing/groups/process_choice.h"

namespace eventspace {

/// The named groups of processes of this user on this machine (`eventspace group`), in a file of mode 0600 in
/// runtime_directory(). A group is evaluated at each use, so it can be changed while it is in use.
/// Thread-safe. Functions throw EnvironmentError if the file cannot be read or written, or has an invalid
/// line.
class NamedGroups {
 public:
  [[nodiscard]] static ProcessGroups all();
  /// Replaces a group of the same name. Throws ConfigurationError as check_choice() and check_groups() do,
  /// and for an invalid name.
  static void store(std::string_view name, const ProcessChoice& choice);
  /// Returns whether there was such a group. Throws ConfigurationError if other groups refer to it.
  static bool remove(std::string_view name);
};

}  // namespace eventspace
