#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/language/unit.h"

namespace eventspace::metrics {

/// A value of a metric at a reading: the names of the objects that are given for its parameters, in their
/// order, its virtual time if it has one, and the value. Monitors show it. Plain data.
struct MetricValue {
  std::vector<std::string> objects;
  std::optional<std::int64_t> virtual_time{};
  Datum datum;
};

/// The number in the unit of its metric; nothing if there is none. It is finite.
std::optional<double> number_of(const Datum& datum, const DisplayUnit& unit);
/// Why there is no number, such as "not yet"; empty if there is one.
std::string_view problem_of(const Datum& datum, const DisplayUnit& unit);

}  // namespace eventspace::metrics
