#pragma once

// Private to monitors/.

#include <string>

#include "monitors/tune/outcome.h"

namespace eventspace::tune {

/// What was measured as an SVG picture: slowdown over rate, the Pareto front as a line, the goal dashed, the
/// best and the given one named. Hovering over a point shows its tree.
std::string plot_svg(const Outcome& outcome);

}  // namespace eventspace::tune
