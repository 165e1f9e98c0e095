#pragma once

#include <vector>

#include "monitors/charts/picture.h"
#include "monitors/probing/balance/balance_search.h"

namespace eventspace {

/// Draws the functions of each round below each other: a bar for the mean time over the processes, as a share
/// of the time of the round, and a line from the least to the greatest time, with the name of the process
/// that has it. All rounds have the same scale, so they can be compared. Draws up to `max_drawn` functions
/// of a round, and counts the others. Pure.
Picture draw_balance(const std::vector<BalanceFinding>& findings);
inline constexpr std::size_t max_drawn = 16;

}  // namespace eventspace
