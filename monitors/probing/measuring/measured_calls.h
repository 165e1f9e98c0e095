#pragma once

// Private to monitors/.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/probing/measuring/measuring_layout.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// What the values of a probe were.
struct MeasuredValue {
  std::uint64_t count{0};
  double sum{0};                      ///< of real numbers it may be infinite
  std::optional<std::int64_t> least;  ///< nothing: there was none, or they are real numbers
  std::optional<std::int64_t> greatest;
  std::optional<double> real_least;  ///< nothing: there was none, or they are whole numbers
  std::optional<double> real_greatest;
  std::uint64_t missing{
      0};  ///< calls for which it could not be calculated, or whose bounds are not there yet
};

/// What a probe has measured, of all threads: see measuring::MeasureLine.
struct MeasuredCalls {
  std::uint64_t calls{0};
  std::uint64_t total_ns{0};
  std::uint64_t own_ns{0};
  std::uint64_t sum_ns{0};
  std::uint64_t least_ns{0};  ///< 0 if there are no calls
  std::uint64_t greatest_ns{0};
  std::uint64_t passed_by{0};
  std::uint64_t no_entry{0};
  std::uint64_t no_room{0};
  std::uint64_t left_out{0};
  std::uint64_t not_raised{0};
  std::uint64_t unrecorded{0};
  std::array<MeasuredValue, measuring::most_values> values{};
  std::array<std::uint64_t, measuring::histogram_buckets> histogram{};

  [[nodiscard]] double mean_ns() const noexcept {
    return calls == 0 ? 0 : static_cast<double>(sum_ns) / static_cast<double>(calls);
  }
  /// The time below which this share of the calls was, to a factor of 2; at most greatest_ns.
  [[nodiscard]] std::uint64_t quantile_ns(double share) const noexcept;
};

/// The times of calls that are counted together in a histogram.
struct TimeRange {
  std::uint64_t from_ns{0};
  std::uint64_t below_ns{0};  ///< of the last one the greatest number
};
/// Requires that `bucket` is less than measuring::histogram_buckets. Pure.
TimeRange histogram_range(std::size_t bucket) noexcept;

/// Adds up the lines of a probe's measures, as they were read while the process went on. `bytes` has all of
/// them; bit i of `real_values` says whether the value i is a real number. Pure.
MeasuredCalls measured_in(Bytes bytes, std::uint32_t real_values = 0);

}  // namespace eventspace
