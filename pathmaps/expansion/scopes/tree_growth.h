#pragma once

// Private to pathmaps/.

#include "pathmaps/expansion/scopes/scope_levels.h"
#include "pathmaps/expansion/scopes/scope_parts.h"
#include "pathmaps/expansion/scopes/written_tree.h"

namespace eventspace::expansion {

/// A scope as the pathmap describes it, before it is spread out over groups.
struct ScopeOutline {
  std::string name;
  bool next{false};
  std::uint32_t batch{1000};
  std::uint64_t most{0};
  std::optional<std::chrono::nanoseconds> since;
  std::chrono::nanoseconds timeout{};
  bool direct{false};  ///< the consumer reads the segments itself
  std::vector<ScopeLevel> levels;
  std::optional<WrittenNode> tree;  ///< instead of levels
  Traces traces;
  std::optional<OwnPathsOutline> own_paths;  ///< which of its own paths are recorded; nothing: none
};

/// The tree of a scope without faults: one node for each level, group and wrapper, and those that keep a
/// level's `arity`; or the nodes that are written out. Below the last level, or the leaves, are the reads,
/// each on the server that has the segments (or where its parent runs, with `direct`). Where threads would
/// have nothing to do is a fault.
ScopeTree grow_tree(const Plan& plan, const ScopeOutline& outline, Faults& faults);

}  // namespace eventspace::expansion
