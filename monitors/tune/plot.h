#pragma once

// Private to monitors/.

#include <string>

#include "monitors/tune/outcome.h"

namespace eventspace::tune {

/// Draws the measurements as an SVG picture: slowdown over rate, with the Pareto front as a line, the goal
/// dashed, and names at the best and the given scope. Hovering over a point shows its tree.
std::string plot_svg(const Outcome& outcome);

}  // namespace eventspace::tune
