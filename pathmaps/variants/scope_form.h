#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/expansion/scopes/scope_levels.h"

namespace eventspace::variants {

/// A level of a scope in the form of its YAML text, so that a variant can change one setting and keep the
/// others.
struct LevelForm {
  expansion::Group group{expansion::Group::all};
  std::string wrapping;  ///< "wrapper: gather"
  std::string parts;     ///< the wrapping for a level added below: applies the first wrapper to partial views
  std::string more;      ///< other settings, "timeout: 5ms, late: wait", or empty
  std::string on;        ///< empty means the default place
  std::size_t arity{0};  ///< 0 means unlimited
  std::string spread;
  std::string ask;  ///< empty means overlapped
  /// True if removing the level does not change the view: it has one wrapper, and the level above it does the
  /// same work.
  bool can_go{false};
};

/// A scope in the form of its YAML text. All variants of a scope have the same sources (`what`) and differ in
/// the levels that gather them.
struct ScopeForm {
  /// The YAML lines of all keys except `levels`, `shape`, `wrapper`, `tree` and `batch`, which are below, and
  /// `collect`: variants do not record their own paths, because path numbers belong to one tree.
  std::string what;
  std::optional<std::size_t> batch;
  bool next{false};    ///< the scope reads unread records
  bool direct{false};  ///< the whole tree runs on the consumer
  std::vector<LevelForm> levels;
};

/// Reads scope `name` of a pathmap without faults. Throws ConfigurationError if the scope has the key `tree`:
/// such a tree need not consist of levels.
ScopeForm read_form(const reading::Value& scope, const std::string& name, const Plan& plan);

/// Returns the scope as an entry of `scopes:`, in several lines.
std::string scope_text(const std::string& name, const ScopeForm& form);

/// Returns a short description: "all > node (arity 4) > thread (on consumer, 2 threads)".
std::string in_words(const ScopeForm& form);

/// Returns the site of the level: the consumer, a server, or (empty) another site.
std::string site_of(const LevelForm& level);

}  // namespace eventspace::variants
