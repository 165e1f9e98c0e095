#include "monitors/metrics/readings/metric_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace eventspace {

ShownValue shown(const metrics::Measurement::Value& value, const metrics::DisplayUnit& unit) {
  const metrics::Datum& datum = value.datum;
  if (datum.state == metrics::Datum::State::later) return {{}, "not yet"};
  if (!datum.is_present()) return {{}, "no value", true};
  if (datum.problem != metrics::Problem::none) return {{}, std::string(to_string(datum.problem)), true};
  const double number = datum.number / unit.scale;
  return {number, "", !std::isfinite(number)};
}

std::string objects_of(const metrics::Measurement::Value& value) {
  return fmt::format("{}", fmt::join(value.objects, " "));
}

}  // namespace eventspace
