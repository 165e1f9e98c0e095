#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <eventspace/tuple.h>
#include "monitors/probing/measuring/measuring_layout.h"

namespace eventspace {

/// Statistics of a value that a probe calculates at each call.
struct MeasuredValue {
  std::uint64_t count{0};
  double sum{0};                      ///< may be infinite for real numbers
  std::optional<std::int64_t> least;  ///< nullopt: no values, or real numbers
  std::optional<std::int64_t> greatest;
  std::optional<double> real_least;  ///< nullopt: no values, or whole numbers
  std::optional<double> real_greatest;
  std::uint64_t missing{
      0};  ///< calls for which it could not be calculated, or whose bounds are not yet stored
};

/// The measurements of a probe, over all threads: see measuring::MeasureLine.
struct MeasuredCalls {
  std::uint64_t calls{0};
  std::uint64_t total_ns{0};
  std::uint64_t own_ns{0};
  std::uint64_t sum_ns{0};
  std::uint64_t least_ns{0};  ///< 0 without calls
  std::uint64_t greatest_ns{0};
  std::uint64_t passed_by{0};
  std::uint64_t no_entry{0};
  std::uint64_t no_room{0};
  std::uint64_t left_out{0};
  std::uint64_t not_raised{0};
  std::uint64_t unrecorded{0};
  std::array<MeasuredValue, measuring::max_values> values{};
  std::array<std::uint64_t, measuring::histogram_buckets> histogram{};

  [[nodiscard]] double mean_ns() const noexcept {
    return calls == 0 ? 0 : static_cast<double>(sum_ns) / static_cast<double>(calls);
  }
  /// An upper bound, to a factor of 2, of the duration of this share of the calls; limited to greatest_ns.
  [[nodiscard]] std::uint64_t quantile_ns(double share) const noexcept;
};

/// A range of call durations that a histogram counts together.
struct CallTimeRange {
  std::uint64_t from_ns{0};
  std::uint64_t below_ns{0};  ///< the greatest number in the last range
};
/// Requires that `bucket` is less than measuring::histogram_buckets. Pure.
CallTimeRange histogram_range(std::size_t bucket) noexcept;

/// Adds up the lines of a probe's measures, as they were read while the process was running. `bytes` has all
/// of them; bit i of `real_values` says whether value i is a real number. Pure.
MeasuredCalls measured_in(Bytes bytes, std::uint32_t real_values = 0);

}  // namespace eventspace
