#pragma once

#include <cmath>

namespace eventspace::metrics {

/// A sum of reals with twice the digits of a double. Sums of parts can be added up: the result, rounded to a
/// double, is the same as for one sum over all values, in nearly any order. So a metric has the same value
/// whether it is evaluated in parts or in one place. Plain data.
struct ExactSum {
  double high{0.0};
  double low{0.0};  ///< the part of the sum that `high` lacks

  void add(double value) noexcept {
    const double sum = high + value;
    const double back = sum - high;
    low += (high - (sum - back)) + (value - back);
    high = sum;
  }
  void add(const ExactSum& other) noexcept {
    add(other.high);
    low += other.low;
  }
  /// Adds the square of a value.
  void add_square(double value) noexcept {
    const double square = value * value;
    add(square);
    low += std::fma(value, value, -square);
  }
  /// Multiplies by a value.
  void multiply(double factor) noexcept {
    const double product = high * factor;
    low = low * factor + std::fma(high, factor, -product);
    high = product;
  }
  void multiply(const ExactSum& factor) noexcept {
    const double product = high * factor.high;
    low = low * factor.high + high * factor.low + std::fma(high, factor.high, -product);
    high = product;
  }
  [[nodiscard]] double value() const noexcept {
    const double sum = high + low;
    return std::isfinite(sum) ? sum : high;  // `low` is meaningless beyond the range of a double
  }
};

}  // namespace eventspace::metrics
