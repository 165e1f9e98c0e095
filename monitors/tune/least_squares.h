#pragma once

#include <vector>

namespace eventspace::tune {

/// The equation sum(factors[j] * x[j]) = value, with its weight.
struct Equation {
  std::vector<double> factors;
  double value{0};
  double weight{1};
};

/// Returns the non-negative x that minimises the weighted sum of the squared errors of `equations`. Each x[j]
/// is held near start[j] with the small weight `hold`, which determines values that the equations do not.
/// Every equation must have as many factors as `start`. Pure.
std::vector<double> least_squares(const std::vector<Equation>& equations, std::vector<double> start,
                                  double hold);

}  // namespace eventspace::tune
