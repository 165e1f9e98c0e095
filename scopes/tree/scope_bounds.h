#pragma once

// Private to scopes/.

#include <chrono>
#include <cstddef>
#include <functional>

#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// What the tree of a peer may ask of a server. A tree that a plan yields stays far below all of these.
struct ScopeBounds {
  static constexpr std::size_t threads{256};  ///< of all nodes with Asking::threads together
  static constexpr std::size_t hops{16};      ///< in the route to a node
  static constexpr std::size_t nodes{256};    ///< besides `nodes_of_a_source` for each source
  static constexpr std::size_t nodes_of_a_source{8};
  static constexpr std::size_t positions{1u << 20};  ///< read positions, for unread events
  /// How often a server may have to look for a standing scope, and how seldom.
  static constexpr std::chrono::milliseconds shortest_look{1};
  static constexpr std::chrono::hours longest_look{1};
};

/// Whether the plan has a trace element of this number in the process of this number.
using HasSource = std::function<bool(const SourceRef&)>;

/// Checks a tree from a peer, before anything is made of it: each source belongs to the plan and comes once
/// in the whole tree, the ranges of processes without a plan do not overlap, nodes, threads, routes and read
/// positions are within bounds, no time is negative, and a
/// standing scope is not looked at too often. So what a server makes of a tree is bounded by the
/// plan, and takes time n log n of its size. Throws ConfigurationError, with a text for the peer. Without
/// `has_source` sources of any number pass.
void check_scope_tree(const ScopeTree& tree, const HasSource& has_source);

}  // namespace eventspace
