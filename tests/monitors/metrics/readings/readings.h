#pragma once

#include <string>
#include <utility>
#include <vector>

#include "monitors/metrics/readings/metric_reading.h"

namespace eventspace::test {

/// A reading of the metric "M" after this many seconds: a value for each object.
inline MetricReading reading_at(double seconds, const std::vector<std::pair<std::string, double>>& values,
                                const std::string& unit = {}) {
  MetricReading reading;
  reading.time = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  reading.metric = "M";
  reading.unit = unit.empty() ? metrics::DisplayUnit{} : *metrics::display_unit(unit);
  for (const auto& [object, number] : values) {
    metrics::MetricValue value;
    if (!object.empty()) value.objects.push_back(object);
    value.datum = metrics::Datum::at(number * reading.unit.scale, 0, reading.time.count());
    reading.values.push_back(std::move(value));
  }
  return reading;
}

}  // namespace eventspace::test
