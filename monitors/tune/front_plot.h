#pragma once

#include "monitors/charts/picture.h"
#include "monitors/tune/outcome.h"

namespace eventspace::tune {

/// Draws the measurements: slowdown over rate, with the Pareto front as a line, the goal dashed, and names at
/// the best and the given scope. In SVG, a point shows its tree under the pointer. Pure.
Picture draw_front(const Outcome& outcome);

}  // namespace eventspace::tune
