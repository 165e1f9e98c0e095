#pragma once

// Private to monitors/.

#include <cstddef>
#include <set>
#include <vector>

#include "monitors/collectives/collective_shape.h"
#include "pathmaps/plan/plan.h"
#include "scopes/wrappers/collective_layout.h"

namespace eventspace {

// From what a pathmap says of a collective to what is needed to understand its records. Pure.

/// The trace elements that `tree` reads.
[[nodiscard]] std::set<TraceIndex> traces_read_by(const ScopeTree& tree);

/// Says what of the tree lies within one process, where the layouts of the plan say so and both ends of all
/// of it have records.
void add_layouts(CollectiveShape& shape, CollectiveIndex collective,
                 const std::vector<CollectiveLayout>& layouts);

/// The tree of `collective`; an end of an edge has records when its trace element is among `traces`. Joints
/// are in the order of CollectivePlan::joints, and edges in that of the joints' children.
[[nodiscard]] CollectiveShape shape_of(const Plan& plan, const CollectivePlan& collective,
                                       const std::set<TraceIndex>& traces);

}  // namespace eventspace
