#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scopes/metrics/history/datum.h"

namespace eventspace::metrics {

/// A value of a metric at a reading: the names of the objects that are given for its parameters, in their
/// order, its virtual time if it has one, and the value. Monitors show it. Plain data.
struct MetricValue {
  std::vector<std::string> objects;
  std::optional<std::int64_t> virtual_time{};
  Datum datum;
};

}  // namespace eventspace::metrics
