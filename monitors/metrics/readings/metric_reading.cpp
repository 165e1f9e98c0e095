#include "monitors/metrics/readings/metric_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace eventspace {

using metrics::Datum;

std::optional<double> number_of(const Datum& datum, const metrics::DisplayUnit& unit) {
  return datum.is_good() ? std::optional(datum.number / unit.scale) : std::nullopt;
}

std::string_view problem_of(const Datum& datum) {
  if (datum.is_good()) return "";
  if (datum.state == Datum::State::later) return "not yet";
  return datum.is_present() ? to_string(datum.problem) : "no value";
}

bool is_gap(const Datum& datum, const metrics::DisplayUnit& unit) {
  const auto number = number_of(datum, unit);
  return number ? !std::isfinite(*number) : datum.state != Datum::State::later;
}

std::string objects_of(const metrics::MetricValue& value) {
  return fmt::format("{}", fmt::join(value.objects, " "));
}

}  // namespace eventspace
