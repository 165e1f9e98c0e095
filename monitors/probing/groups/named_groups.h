#pragma once

// Private to monitors/.

#include <string_view>

#include "monitors/probing/groups/process_choice.h"

namespace eventspace {

/// The groups of processes that this user has given names, on this machine (`eventspace group`), in a file of
/// mode 0600 in runtime_directory(). What a group means is looked up each time that it is used, so it can be
/// changed while it is in use. Thread-safe. Functions throw EnvironmentError if the file cannot be read or
/// written, or has a faulty line.
class NamedGroups {
 public:
  [[nodiscard]] static ProcessGroups all();
  /// A group of the name is replaced. Throws ConfigurationError as check_choice() and check_groups() do, and
  /// for a faulty name.
  static void store(std::string_view name, const ProcessChoice& choice);
  /// Returns whether there was such a group. Throws ConfigurationError if others are made of it.
  static bool remove(std::string_view name);
};

}  // namespace eventspace
