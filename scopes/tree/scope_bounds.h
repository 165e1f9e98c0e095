#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// The limits of a peer's tree at a server. A tree from a plan stays far below all of these.
struct ScopeBounds {
  static constexpr std::size_t threads{256};  ///< total for all nodes with Asking::threads
  static constexpr std::size_t hops{16};      ///< in the route to a node
  static constexpr std::size_t nodes{256};    ///< besides `nodes_of_a_source` for each source
  static constexpr std::size_t nodes_of_a_source{8};
  static constexpr std::size_t positions{1u << 20};  ///< read positions, for unread events
  /// The shortest and longest interval of a server's polls for a subscription.
  static constexpr std::chrono::milliseconds shortest_look{1};
  static constexpr std::chrono::hours longest_look{1};
};

/// Whether the plan has a trace element of this number in the process of this number.
using HasSource = std::function<bool(const SourceRef&)>;

/// Checks a tree from a peer before the server builds anything from it: each source belongs to the plan and
/// occurs once in the whole tree, the ranges of dynamic processes do not overlap, nodes, threads, routes and
/// read positions are within bounds, times are not negative, and a subscription is not polled too often. So
/// the resources for a tree are bounded by the plan. Takes time n log n of its size. Throws
/// ConfigurationError, with a text for the peer. Without `has_source` sources of any number pass.
void check_scope_tree(const ScopeTree& tree, const HasSource& has_source);

}  // namespace eventspace
