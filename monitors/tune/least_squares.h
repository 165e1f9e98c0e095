#pragma once

// Private to monitors/.

#include <vector>

namespace eventspace::tune {

/// One equation: the sum of factors[j] * x[j] should be `value`, and counts as much as `weight` says.
struct Equation {
  std::vector<double> factors;
  double value{0};
  double weight{1};
};

/// The x, none of them negative, that meets the equations best by the weighted sum of squares. `start` is
/// kept to where the equations say nothing, with the small weight `hold` for each of its values. All have as
/// many factors as `start`.
std::vector<double> least_squares(const std::vector<Equation>& equations, std::vector<double> start,
                                  double hold);

}  // namespace eventspace::tune
