#include "monitors/metrics/value_lines.h"

#include <fmt/format.h>

#include "monitors/text/counted.h"
#include "monitors/text/json.h"
#include "monitors/text/text_format.h"
#include "monitors/text/unit_text.h"

namespace eventspace {
namespace {

using metrics::MetricValue;

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string text_of(const MetricReading& reading, const MetricValue& value) {
  const auto number = number_of(value.datum, reading.unit);
  std::string line = fmt::format("{:>7}  {}", short_duration(reading.time), reading.metric);
  if (!value.objects.empty()) line += "  " + objects_of(value);
  if (value.virtual_time) line += fmt::format("  at {}", *value.virtual_time);
  line += "  " + (number ? with_unit(*number, reading.unit.label)
                         : std::string(problem_of(value.datum, reading.unit)));
  if (reading.lost > 0) line += fmt::format("  (incomplete: {} lost)", counted(reading.lost, "record"));
  if (reading.unmatched > 0) line += fmt::format("  ({} not matched)", counted(reading.unmatched, "value"));
  return line + '\n';
}

Json member(const std::optional<std::int64_t>& number) { return number ? Json(*number) : Json(); }

std::string json_of(const MetricReading& reading, const MetricValue& value) {
  const auto number = number_of(value.datum, reading.unit);
  Json objects = Json::array();
  for (const std::string& object : value.objects) objects.add(object);
  Json taken = value.datum.is_timeless() ? Json() : Json(seconds(value.datum.time_ns - reading.start_ns));
  return Json::object({{"time_s", seconds(reading.time.count())},
                       {"metric", reading.metric},
                       {"objects", std::move(objects)},
                       {"virtual_time", member(value.virtual_time)},
                       {"value", number ? Json(*number) : Json()},
                       {"unit", reading.unit.label},
                       {"taken_s", std::move(taken)},
                       {"began_ns", reading.began_ns},
                       {"problem", std::string(problem_of(value.datum, reading.unit))},
                       {"lost", reading.lost},
                       {"unmatched", reading.unmatched}})
             .dump() +
         '\n';
}

std::string csv_of(const MetricReading& reading, const MetricValue& value) {
  const auto number = number_of(value.datum, reading.unit);
  return fmt::format(
      "{:.6f},{},{},{},{},{},{},{},{},{}\n", seconds(reading.time.count()), csv_value(reading.metric),
      csv_value(objects_of(value)), value.virtual_time ? std::to_string(*value.virtual_time) : "",
      number ? fmt::format("{}", *number) : "", csv_value(reading.unit.label),
      value.datum.is_timeless() ? "" : fmt::format("{:.9f}", seconds(value.datum.time_ns - reading.start_ns)),
      problem_of(value.datum, reading.unit), reading.lost, reading.unmatched);
}

}  // namespace

ValueLines::ValueLines(std::ostream& out, Format format) : out_(&out), format_(format) {
  if (format_ == Format::csv)
    *out_ << "time_s,metric,objects,virtual_time,value,unit,taken_s,problem,lost,unmatched\n";
}

bool ValueLines::print(const MetricReading& reading) {
  for (const MetricValue& value : reading.values) {
    if (format_ == Format::text) *out_ << text_of(reading, value);
    if (format_ == Format::json) *out_ << json_of(reading, value);
    if (format_ == Format::csv) *out_ << csv_of(reading, value);
  }
  return static_cast<bool>(out_->flush());
}

}  // namespace eventspace
