#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "monitors/collectives/collective_shape.h"
#include "pathmaps/plan/plan.h"
#include "scopes/wrappers/collective_layout.h"

namespace eventspace {

// Derives from a plan the data for interpreting the records of a collective. Pure functions.

/// The trace elements that `tree` reads.
[[nodiscard]] std::set<TraceIndex> traces_read_by(const ScopeTree& tree);

/// Adds to `shape` the parts of the tree that lie within one process. Only layouts with records at both ends
/// of all edges count.
void add_layouts(CollectiveShape& shape, CollectiveIndex collective,
                 const std::vector<CollectiveLayout>& layouts);

/// Returns the tree of `collective`. An end of an edge has records when its trace element is in `traces`.
/// Joints are in the order of CollectivePlan::joints, and edges in the order of the joints' children.
[[nodiscard]] CollectiveShape shape_of(const Plan& plan, const CollectivePlan& collective,
                                       const std::set<TraceIndex>& traces);

}  // namespace eventspace
