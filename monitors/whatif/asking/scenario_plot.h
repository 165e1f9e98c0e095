#pragma once

#include <vector>

#include "monitors/charts/picture.h"
#include "monitors/whatif/asking/answer.h"

namespace eventspace::whatif {

/// Draws a bar for each answer, as in figures 6.2 to 6.8 of Zabel (1996): the mean execution time of the
/// working tasks, divided into computing, overhead, and blocked time (service and algorithmic). A line at the
/// baseline shows the recorded time. At most 40 bars; others are counted. Pure.
Picture draw_scenarios(const Program& program, const std::vector<Answer>& answers);

}  // namespace eventspace::whatif
