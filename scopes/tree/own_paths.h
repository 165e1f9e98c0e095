#pragma once

#include <memory>

#include "paths/stage.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Puts event collectors on the paths of scopes, so that pulls are recorded like the application's
/// operations. A process that has a plan and a segment implements it (pathmaps/sessions/scope_paths.h). It
/// must outlive the stages that it returns. Used by one thread.
///
/// Both functions throw ConfigurationError if the path number in the tree is not that of a path of this part
/// of the scope.
class OwnPaths {
 public:
  virtual ~OwnPaths() = default;
  /// Returns `next`, the stage that answers for `part`, with the collector of `part.root.answer_path` in
  /// front.
  virtual std::unique_ptr<Stage> answer(const ScopeTree& part, std::unique_ptr<Stage> next) = 0;
  /// Returns `next`, the stage through which `part` asks `child` on another server, with the collector of
  /// `child.ask_path` in front.
  virtual std::unique_ptr<Stage> ask(const ScopeTree& part, const ScopeNode& child,
                                     std::unique_ptr<Stage> next) = 0;
};

}  // namespace eventspace
