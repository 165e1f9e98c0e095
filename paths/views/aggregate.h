#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "paths/views/histogram.h"

namespace eventspace {

/// The function that a reduce applies to many numbers.
enum class Reduction : std::uint8_t { count = 1, sum = 2, mean = 3, min = 4, max = 5, histogram = 6 };
std::string_view to_string(Reduction reduction) noexcept;

/// Numbers that are reduced to one value. Two aggregates can be combined to the aggregate of all their
/// numbers, in any order and through any tree, with the same result except for the rounding of sums of reals.
/// Plain data; not thread-safe.
///
///     Aggregate total{.name = "duration", .unit = "ns", .reduction = Reduction::mean};
///     total.add(120);
///     total.add(of_another_process);  // has the same key
struct Aggregate {
  std::string name;   ///< the reduced quantity, such as "duration"
  std::string group;  ///< the thread, path or other group; empty means all
  std::string unit;   ///< such as "ns"; empty for plain numbers
  Reduction reduction{Reduction::count};
  std::uint64_t count{0};
  double sum{0};
  double least{std::numeric_limits<double>::infinity()};
  double greatest{-std::numeric_limits<double>::infinity()};
  Histogram histogram;  ///< only for Reduction::histogram

  /// Adds a number, which must be finite.
  void add(double number);
  /// Adds all numbers of `other`, which must have the same key.
  void add(const Aggregate& other);
  /// The reduced value; for a histogram the median. 0 without numbers.
  [[nodiscard]] double value() const noexcept;

  /// Aggregates with equal keys can be combined.
  [[nodiscard]] auto key() const noexcept { return std::tie(name, group, unit, reduction); }
  friend bool operator==(const Aggregate&, const Aggregate&) = default;
};

/// Sorts aggregates by key, and combines those with equal keys.
void put_in_order(std::vector<Aggregate>& aggregates);
/// Merges `more` into `aggregates`, and combines those with equal keys. Both must be sorted by key; the
/// result is also sorted.
void merge(std::vector<Aggregate>& aggregates, std::vector<Aggregate>&& more);

}  // namespace eventspace
