#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/expansion/scopes/scope_levels.h"

namespace eventspace::variants {

/// One level of a scope as text, so that it can be written again with some of it changed.
struct LevelForm {
  expansion::Group group{expansion::Group::all};
  std::string wrapping;  ///< "wrapper: gather"
  std::string parts;     ///< the wrapping of a level that is put below this one: the first wrapper in parts
  std::string more;      ///< "timeout: 5ms, late: wait", or empty
  std::string on;        ///< empty: by default
  std::size_t arity{0};  ///< 0: none
  std::string spread;
  std::string ask;  ///< empty: overlapped
  /// Whether the scope would yield the same without it, wherever it runs: its one wrapper does nothing that
  /// the level above does not do as well.
  bool can_go{false};
};

/// A scope as text: what it sees, which stays, and the levels by which it sees that.
struct ScopeForm {
  /// Lines of all keys but `levels`, `shape`, `wrapper`, `tree`, `batch` and `collect`: the numbers of a
  /// scope's own paths are those of its tree.
  std::string what;
  std::optional<std::size_t> batch;
  bool next{false};    ///< reads unread records
  bool direct{false};  ///< all of it runs on the consumer
  std::vector<LevelForm> levels;
};

/// The scope `name` of a pathmap without faults. Throws ConfigurationError when it is written out as a tree:
/// what its nodes do beside gathering has no levels.
ScopeForm read_form(const reading::Value& scope, const std::string& name, const Plan& plan);

/// As an entry of `scopes:`, of several lines.
std::string scope_text(const std::string& name, const ScopeForm& form);

/// The tree in a few words: "all > node (arity 4) > thread (on consumer, 2 threads)".
std::string in_words(const ScopeForm& form);

/// Where the level runs: with the consumer, on a server, or (empty) on something else.
std::string site_of(const LevelForm& level);

}  // namespace eventspace::variants
