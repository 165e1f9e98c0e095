#pragma once

#include <string>
#include <vector>

#include "pathmaps/expansion/scopes/scope_wrapping.h"
#include "pathmaps/expansion/scopes/tree_parts.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// A node of a tree given under `tree:` of a scope. It has either children or, as a leaf, traces.
struct WrittenNode {
  std::string name;
  Position at;
  ScopeWrapping wrapping;
  std::vector<WrittenNode> children;
  Traces traces;
};

/// Reads `tree:` of scope `name`, which selects `traces` of `ground` and whose `timeout:` is `timeout`.
/// Reports faults in the nodes, places from which views cannot flow to the parent, and traces that are
/// missing in all leaves or are in several.
WrittenNode read_tree(const reading::Mapping& scope, const Word& name, const Traces& traces,
                      std::chrono::nanoseconds timeout, const Ground& ground, const Draft& draft);

}  // namespace eventspace::expansion
