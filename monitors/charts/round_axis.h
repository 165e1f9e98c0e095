#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace eventspace {

/// A range of numbers with round ends and about five round steps, for the axis of a plot. Plain data.
struct RoundAxis {
  double least{0};
  double most{1};
  double step{1};

  /// The range holds `low` and `high`. An empty range becomes one with room around it.
  RoundAxis(double low, double high);

  /// A range from 0 to exactly `count`, with a step of 1: for things that are counted, not measured.
  static RoundAxis of_count(std::size_t count);

  /// The digits after the decimal point that distinguish the steps.
  [[nodiscard]] int digits() const;
  /// The position of `value`: 0 at the least, 1 at the most.
  [[nodiscard]] double share(double value) const { return (value - least) / (most - least); }
  [[nodiscard]] std::vector<double> steps() const;
  /// The text of a step: with its digits, or with a power of ten if it is very large or small.
  [[nodiscard]] std::string label(double value) const;
};

}  // namespace eventspace
