#pragma once

// Private to monitors/.

#include <string>

#include "monitors/collectives/collective_totals.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The tree of a collective as text in Graphviz' language: joints on their nodes, below each its threads as
/// one box; arrows go the way of the contributions. Pure.
std::string draw_collective(const Plan& plan, const CollectiveShape& shape);

/// The same with what was measured: joints and arrows have their mean times, the wider and redder the more
/// time went by there of all that went by in the tree's hottest place; threads have who of them cost the
/// others most.
std::string draw_collective(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals& totals);

}  // namespace eventspace
