#pragma once

#include <cstdint>
#include <string>

#include "monitors/collectives/collective_totals.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Whether joints that are alike, such as the lowest ones of a process, share a box.
enum class Siblings : std::uint8_t { together, apart };

/// The tree of a collective as text in Graphviz' language: the joints on their nodes, and below each joint
/// its threads as one box. Arrows show the direction of contributions. Pure.
std::string draw_collective(const Plan& plan, const CollectiveShape& shape, Siblings siblings);

/// As above, with measurements: joints and arrows show their mean times. They are wider and redder the larger
/// one of the figures that they show is, relative to the greatest in the picture: the time that a joint takes
/// to pass on, up and down, and the time on an arrow, both ways. Boxes of threads name the threads that cost
/// the others most.
std::string draw_collective(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals& totals,
                            Siblings siblings);

}  // namespace eventspace
