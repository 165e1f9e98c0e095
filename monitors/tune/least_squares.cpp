#include "monitors/tune/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace eventspace::tune {

std::vector<double> least_squares(const std::vector<Equation>& equations, std::vector<double> start,
                                  double hold) {
  const std::size_t n = start.size();
  std::vector<std::vector<double>> squares(n, std::vector<double>(n, 0));
  std::vector<double> wanted(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    squares[j][j] = hold;
    wanted[j] = hold * start[j];
  }
  for (const Equation& e : equations) {
    for (std::size_t j = 0; j < n; ++j) {
      wanted[j] += e.weight * e.factors[j] * e.value;
      for (std::size_t k = 0; k < n; ++k) squares[j][k] += e.weight * e.factors[j] * e.factors[k];
    }
  }
  // Coordinate descent: each step sets one value to its optimum for fixed others. The sum of squares
  // decreases at each step and is strictly convex, so this converges to its only minimum.
  std::vector<double>& x = start;
  constexpr int max_rounds = 20'000;
  for (int round = 0; round < max_rounds; ++round) {
    double moved = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (squares[j][j] <= 0) continue;
      double rest = wanted[j];
      for (std::size_t k = 0; k < n; ++k) rest -= k == j ? 0 : squares[j][k] * x[k];
      const double better = std::max(0.0, rest / squares[j][j]);
      moved = std::max(moved, std::abs(better - x[j]));
      x[j] = better;
    }
    if (moved < 1e-9) break;
  }
  return x;
}

}  // namespace eventspace::tune
