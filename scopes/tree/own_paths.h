#pragma once

#include <memory>

#include "paths/stage.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Puts event collectors on the paths of scopes themselves, so that pulls are recorded as the application's
/// operations are; implemented by whoever has a plan and a segment. What it makes may be used until it goes.
///
/// Both throw ConfigurationError when the number that the tree has is of no path of that part of its scope.
class OwnPaths {
 public:
  virtual ~OwnPaths() = default;
  /// `next`, which answers for `part`, with the collector of `part.root.answer_path` in front.
  virtual std::unique_ptr<Stage> answer(const ScopeTree& part, std::unique_ptr<Stage> next) = 0;
  /// `next`, on which `part` asks `child`, one of its nodes on another server, with that of `child.ask_path`.
  virtual std::unique_ptr<Stage> ask(const ScopeTree& part, const ScopeNode& child,
                                     std::unique_ptr<Stage> next) = 0;
};

}  // namespace eventspace
