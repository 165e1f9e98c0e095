#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "paths/links/link_pool.h"
#include "paths/server/server.h"
#include "paths/stage.h"
#include "scopes/reading/local_segments.h"
#include "scopes/tree/own_paths.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// Where a scope, or the part of one that a server runs, is made into stages. All must outlive the stages;
/// they are used by one thread.
struct ScopeSurroundings {
  LinkPool* links{nullptr};
  LocalSegments* segments{nullptr};
  const PlanNames* names{nullptr};
  std::uint64_t fingerprint{0};
  /// The servers that may be asked. A server must not be made to talk to just anybody.
  std::set<std::string> endpoints;
  /// The pathmap's own wrappers, beside those that the process knows; null: none.
  const std::vector<ScopeWrapperInfo>* wrappers{nullptr};
  /// Where pulls are recorded, of trees that say so; null: nowhere.
  OwnPaths* own_paths{nullptr};
};

/// Makes the stages of `tree`: what is placed where the root is becomes local stages, each part placed on a
/// server becomes one remote stage that opens that part there. Throws ConfigurationError for a tree from
/// another plan, an unknown wrapper, a wrong parameter, or an endpoint that may not be asked.
std::unique_ptr<Stage> build_scope(const ScopeTree& tree, const ScopeSurroundings& here);

/// The kind of target under which servers run parts of scopes.
inline constexpr const char* scope_target = "scope";
/// Parts of scopes as a server offers them. `names`, `wrappers` and `own_paths` must outlive the server;
/// segments are made per server. What comes over the wire names wrappers, and never where they are loaded
/// from.
std::shared_ptr<const TargetKind> scope_target_kind(const PlanNames& names, LocalSegments& segments,
                                                    std::uint64_t fingerprint,
                                                    std::set<std::string> endpoints,
                                                    const std::vector<ScopeWrapperInfo>* wrappers = nullptr,
                                                    OwnPaths* own_paths = nullptr);

}  // namespace eventspace
