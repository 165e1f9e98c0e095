#include "monitors/metrics/readings/metric_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eventspace {

bool is_gap(const metrics::Datum& datum, const metrics::DisplayUnit& unit) {
  return !number_of(datum, unit) && datum.state != metrics::Datum::State::later;
}

std::string objects_of(const metrics::MetricValue& value) {
  return fmt::format("{}", fmt::join(value.objects, " "));
}

}  // namespace eventspace
