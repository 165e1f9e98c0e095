#include "monitors/metrics/readings/metric_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "monitors/text/text_format.h"

namespace eventspace {

ShownValue shown(const metrics::Measurement::Value& value, const metrics::DisplayUnit& unit) {
  const metrics::Datum& datum = value.datum;
  if (datum.state == metrics::Datum::State::later) return {{}, "not yet"};
  if (datum.state == metrics::Datum::State::absent) return {{}, "no value"};
  if (datum.problem != metrics::Problem::none) return {{}, std::string(to_string(datum.problem))};
  return {datum.number / unit.scale, ""};
}

std::string objects_of(const metrics::Measurement::Value& value) {
  return fmt::format("{}", fmt::join(value.objects, " "));
}

std::string with_unit(double number, const metrics::DisplayUnit& unit) {
  return fmt::format("{}{}{}", number_text(number), unit.label.empty() ? "" : " ", unit.label);
}

}  // namespace eventspace
