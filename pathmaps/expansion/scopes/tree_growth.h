#pragma once

#include "pathmaps/expansion/scopes/scope_levels.h"
#include "pathmaps/expansion/scopes/scope_parts.h"
#include "pathmaps/expansion/scopes/written_tree.h"

namespace eventspace::expansion {

/// A scope as described in the pathmap, before its levels are expanded to nodes.
struct ScopeOutline {
  std::string name;
  bool next{false};
  std::uint32_t batch{1000};
  std::uint64_t most{0};
  std::optional<std::chrono::nanoseconds> since;
  std::chrono::nanoseconds timeout{};
  bool direct{false};   ///< the consumer reads the segments itself
  bool probes{false};   ///< see ScopeTree::probes
  bool dynamic{false};  ///< also reads dynamic processes; see ScopeNode::dynamic
  std::vector<ScopeLevel> levels;
  std::optional<WrittenNode> tree;  ///< if set, used instead of levels
  Traces traces;
  std::optional<OwnPathsOutline> own_paths;  ///< the scope's `collect:`
};

/// Expands a scope without faults to its tree.
///
/// A scope with levels gets one node for each level, group and wrapper, and the nodes inserted for `arity`. A
/// scope with `tree:` gets the nodes written there. Below the last level, or the leaves, are nodes that read
/// segments, each on the server that maps them; with `direct`, in the place of its parent.
///
/// With `dynamic`, the first of these on each node also reads the dynamic processes of the node; if no
/// server reads, the first one on the consumer reads the dynamic processes of all nodes.
///
/// Reports levels that ask with threads although all children run elsewhere, so that the threads would be
/// without work.
ScopeTree grow_tree(const Plan& plan, const ScopeOutline& outline, Faults& faults);

}  // namespace eventspace::expansion
