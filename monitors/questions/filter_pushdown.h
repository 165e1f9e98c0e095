#pragma once

#include <span>
#include <string>

#include "pathmaps/plan/plan.h"
#include "scopes/tree/placing.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

// Filter pushdown: changes of a scope's tree that keep its shape and places. All functions are pure.

/// The trace elements that a scope keeps.
struct SourceChoice {
  std::string threads{};   ///< a valid glob; empty: all
  std::string paths{};     ///< a valid glob; empty: all
  bool all_points{false};  ///< false: only the first point of each path that the scope reads
};

/// Removes the sources that `choice` does not select, and the nodes that are left without sources. Pulls of
/// the scope are then not recorded, because the numbers of its own paths belong to the whole tree. Throws
/// ConfigurationError, whose text begins with the option and has near names, if the scope reads paths of
/// `plan` and none of them is selected.
void keep_sources(ScopeTree& scope, const Plan& plan, const SourceChoice& choice);

/// Applies the wrappers, in the direction of the data flow, directly where the tree below `node` reads: to
/// each node that reads, or to a node that only joins such nodes in its own place.
void put_above_reads(ScopeNode& node, std::span<const Wrapping> wrappings);

}  // namespace eventspace
