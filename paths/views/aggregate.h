#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "paths/views/histogram.h"

namespace eventspace {

/// What a reduce makes of many numbers.
enum class Reduction : std::uint8_t { count = 1, sum = 2, mean = 3, min = 4, max = 5, histogram = 6 };
std::string_view to_string(Reduction reduction) noexcept;

/// Numbers reduced to what is asked of them, part by part: an aggregate of some and one of others make that
/// of all, in any order and through any tree (sums of reals but for their rounding).
struct Aggregate {
  std::string name;   ///< what is reduced, such as "duration"
  std::string group;  ///< of which thread, path ...; empty: of all
  std::string unit;   ///< "ns"; empty for plain numbers
  Reduction reduction{Reduction::count};
  std::uint64_t count{0};
  double sum{0};
  double least{std::numeric_limits<double>::infinity()};
  double greatest{-std::numeric_limits<double>::infinity()};
  Histogram histogram;  ///< only for Reduction::histogram

  /// One more number; must be finite.
  void add(double number);
  /// The numbers of `other` too, which must be of the same key.
  void add(const Aggregate& other);
  /// What was asked for; of a histogram the median. Of no numbers: 0.
  [[nodiscard]] double value() const noexcept;

  /// Aggregates of one key belong together.
  [[nodiscard]] auto key() const noexcept { return std::tie(name, group, unit, reduction); }
  friend bool operator==(const Aggregate&, const Aggregate&) = default;
};

/// Puts them in the order of their keys, those of one key together.
void put_in_order(std::vector<Aggregate>& aggregates);
/// Puts `more` into `aggregates`, those of one key together. Both are in the order of their keys, and stay
/// so.
void merge(std::vector<Aggregate>& aggregates, std::vector<Aggregate>&& more);

}  // namespace eventspace
