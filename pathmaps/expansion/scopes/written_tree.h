#pragma once

// Private to pathmaps/.

#include <string>
#include <vector>

#include "pathmaps/expansion/scopes/scope_wrapping.h"
#include "pathmaps/expansion/scopes/tree_parts.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// A node of a scope's tree that the pathmap writes out. It has children, or it is a leaf and has traces.
struct WrittenNode {
  std::string name;
  Position at;
  ScopeWrapping wrapping;
  std::vector<WrittenNode> children;
  Traces traces;
};

/// `tree:` of the scope `name`, which chooses `traces` of `ground` and whose whole time is `timeout`. Reports
/// what is wrong with each node, places that data could not flow from, and traces that are in no leaf, or in
/// several.
WrittenNode read_tree(const reading::Mapping& scope, const Word& name, const Traces& traces,
                      std::chrono::nanoseconds timeout, const Ground& ground, const Draft& draft);

}  // namespace eventspace::expansion
