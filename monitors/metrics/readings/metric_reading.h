#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scopes/metrics/evaluation/measurement.h"

namespace eventspace {

/// The values of one metric at one reading, which the outputs of `measure` write, show or plot. Plain data.
struct MetricReading {
  std::chrono::nanoseconds time{};  ///< since the measurement started
  std::int64_t start_ns{0};         ///< start of the measurement, on the clock of the values' times
  std::int64_t began_ns{0};         ///< the same as time of day, since 1970 (UTC)
  std::string metric;
  metrics::DisplayUnit unit;
  std::uint64_t lost{0};       ///< events that are missing in the values
  std::uint64_t unmatched{0};  ///< virtual times left out, as not all their events were seen
  std::vector<metrics::MetricValue> values;
};

/// Whether a value is missing, so that a plot has a gap. False for a value that comes later and then also
/// covers this time.
bool is_gap(const metrics::Datum& datum, const metrics::DisplayUnit& unit);

/// Returns the names of the objects of a value, separated by blanks; empty if there are none.
std::string objects_of(const metrics::MetricValue& value);

}  // namespace eventspace
