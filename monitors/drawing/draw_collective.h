#pragma once

// Private to monitors/.

#include <string>

#include "monitors/collectives/collective_totals.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The tree of a collective as text in Graphviz' language: the joints on their nodes, and below each joint
/// its threads as one box. Arrows show the direction of contributions. Pure.
std::string draw_collective(const Plan& plan, const CollectiveShape& shape);

/// As above, with measurements: joints and arrows show their mean times, and are wider and redder the larger
/// their time is relative to that of the hottest place of the tree. Boxes of threads name those that cost the
/// others most.
std::string draw_collective(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals& totals);

}  // namespace eventspace
