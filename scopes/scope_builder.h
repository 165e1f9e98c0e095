#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <eventspace/stage.h>
#include "paths/links/link_pool.h"
#include "paths/server/server.h"
#include "scopes/reading/local_segments.h"
#include "scopes/recordings/replay.h"
#include "scopes/tree/own_paths.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The surroundings in which build_scope makes stages: a consumer's process, or a server that runs part of a
/// scope. All objects pointed to must outlive the stages. The stages are used by one thread.
struct ScopeSurroundings {
  LinkPool* links{nullptr};
  LocalSegments* segments{nullptr};
  const PlanNames* names{nullptr};
  std::uint64_t fingerprint{0};
  /// Endpoints to which the stages may connect. A tree may come from a peer, which must not be able to make a
  /// server connect to arbitrary addresses.
  std::set<std::string> endpoints;
  /// Wrappers that the pathmap declares, in addition to the registered ones; may be null.
  const std::vector<ScopeWrapperInfo>* wrappers{nullptr};
  /// Puts event collectors on the paths of trees that request it; null: pulls are not recorded.
  OwnPaths* own_paths{nullptr};
  /// Reads this recording instead of segments; trees must run in one place. `links` and `segments` may be
  /// null then.
  Replay* replay{nullptr};
};

/// Makes the stages of `tree`: nodes in the same place as the root become local stages; each part on a server
/// becomes one remote stage, which opens that part on its first pull. Throws ConfigurationError if the tree
/// belongs to another plan, or has an unknown wrapper, a wrong parameter or an endpoint that is not in
/// `here.endpoints`.
std::unique_ptr<Stage> build_scope(const ScopeTree& tree, const ScopeSurroundings& here);

/// The kind of target under which servers run parts of scopes.
inline constexpr const char* scope_target = "scope";
/// The same for parts that stop, continue or switch processes (scopes/requests/request_wrapper.h): for owners
/// of a session only, so it must not be among Server::Config::observable.
inline constexpr const char* steering_scope_target = "steering scope";
/// Which of the two a target kind is for.
enum class Steering : bool { refused, allowed };
/// Returns the target kind with which a server runs parts of scopes for its clients. All arguments passed by
/// reference or pointer must outlive the server; each server has its own `segments`. A client selects
/// wrappers by name only and cannot make the server load a shared object. Its tree is checked before stages
/// are built from it (scopes/tree/scope_bounds.h). `has_source` returns whether the plan has a trace element;
/// without it, trees may name any. Trees of another session than `session` are refused: two sessions of one
/// pathmap can reach each other's servers unless they have their own ports and keys.
std::shared_ptr<const TargetKind> scope_target_kind(std::string session, const PlanNames& names,
                                                    LocalSegments& segments, std::uint64_t fingerprint,
                                                    std::set<std::string> endpoints,
                                                    const std::vector<ScopeWrapperInfo>* wrappers = nullptr,
                                                    OwnPaths* own_paths = nullptr,
                                                    std::function<bool(const SourceRef&)> has_source = {},
                                                    Steering steering = Steering::refused);

}  // namespace eventspace
