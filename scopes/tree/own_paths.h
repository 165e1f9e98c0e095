#pragma once

#include <memory>

#include <eventspace/stage.h>
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Puts event collectors on the paths of scopes, so that pulls are recorded like the application's
/// operations. Implemented by servers, which record on the plan's paths (pathmaps/hosting/scope_paths.h), and
/// by consumers (pathmaps/sessions/consumer_paths.h). It must outlive the stages that it returns. Used by one
/// thread.
///
/// Both functions return `next` itself if nothing is to be recorded. They throw ConfigurationError if the
/// tree has the number of a path that does not belong to this part of the scope.
class OwnPaths {
 public:
  virtual ~OwnPaths() = default;
  /// Returns `next`, the stage that answers for `part`, with a collector in front.
  virtual std::unique_ptr<Stage> answer(const ScopeTree& part, std::unique_ptr<Stage> next) = 0;
  /// Returns `next`, the stage through which `part` pulls from `child` on another server, with a collector in
  /// front. `child` is a node of `part`.
  virtual std::unique_ptr<Stage> ask(const ScopeTree& part, const ScopeNode& child,
                                     std::unique_ptr<Stage> next) = 0;
};

}  // namespace eventspace
