#include "monitors/metrics/value_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "monitors/text/counted.h"
#include "monitors/text/json.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using metrics::Measurement;
using metrics::Problem;
using Value = Measurement::Value;

/// A value as it is written: in the metric's unit; none: why there is none.
struct Shown {
  std::optional<double> number{};
  std::string problem{};
};

Shown shown(const Value& value, const metrics::DisplayUnit& unit) {
  const metrics::Datum& datum = value.datum;
  if (datum.state == metrics::Datum::State::later) return {{}, "not yet"};
  if (datum.state == metrics::Datum::State::absent) return {{}, "no value"};
  if (datum.problem != Problem::none) return {{}, std::string(to_string(datum.problem))};
  return {datum.number / unit.scale, ""};
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string objects_of(const Value& value) { return fmt::format("{}", fmt::join(value.objects, " ")); }

std::string text_of(const ValueLines::Reading& reading, const metrics::DisplayUnit& unit,
                    const Value& value) {
  const Shown number = shown(value, unit);
  std::string line = fmt::format("{:>7}  {}", short_duration(reading.time), reading.metric);
  if (!value.objects.empty()) line += "  " + objects_of(value);
  if (value.virtual_time) line += fmt::format("  at {}", *value.virtual_time);
  line += number.number
              ? fmt::format("  {:.6g}{}{}", *number.number, unit.label.empty() ? "" : " ", unit.label)
              : fmt::format("  {}", number.problem);
  if (reading.lost > 0) line += fmt::format("  (incomplete: {} lost)", counted(reading.lost, "event"));
  return line + '\n';
}

Json member(const std::optional<std::int64_t>& number) { return number ? Json(*number) : Json(); }

std::string json_of(const ValueLines::Reading& reading, const metrics::DisplayUnit& unit,
                    const Value& value) {
  const Shown number = shown(value, unit);
  Json objects = Json::array();
  for (const std::string& object : value.objects) objects.add(object);
  Json taken = value.datum.is_timeless() ? Json() : Json(seconds(value.datum.time_ns - reading.start_ns));
  return Json::object({{"time_s", seconds(reading.time.count())},
                       {"metric", reading.metric},
                       {"objects", std::move(objects)},
                       {"virtual_time", member(value.virtual_time)},
                       {"value", number.number ? Json(*number.number) : Json()},
                       {"unit", unit.label},
                       {"taken_s", std::move(taken)},
                       {"problem", number.problem},
                       {"lost", reading.lost}})
             .dump() +
         '\n';
}

std::string csv_of(const ValueLines::Reading& reading, const metrics::DisplayUnit& unit, const Value& value) {
  const Shown number = shown(value, unit);
  return fmt::format(
      "{:.6f},{},{},{},{},{},{},{},{}\n", seconds(reading.time.count()), csv_value(reading.metric),
      csv_value(objects_of(value)), value.virtual_time ? std::to_string(*value.virtual_time) : "",
      number.number ? fmt::format("{}", *number.number) : "", csv_value(unit.label),
      value.datum.is_timeless() ? "" : fmt::format("{:.9f}", seconds(value.datum.time_ns - reading.start_ns)),
      number.problem, reading.lost);
}

}  // namespace

ValueLines::ValueLines(std::ostream& out, Format format) : out_(&out), format_(format) {
  if (format_ == Format::csv) *out_ << "time_s,metric,objects,virtual_time,value,unit,taken_s,problem,lost\n";
}

bool ValueLines::print(const Reading& reading, const metrics::DisplayUnit& unit,
                       const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (format_ == Format::text) *out_ << text_of(reading, unit, value);
    if (format_ == Format::json) *out_ << json_of(reading, unit, value);
    if (format_ == Format::csv) *out_ << csv_of(reading, unit, value);
  }
  return static_cast<bool>(out_->flush());
}

}  // namespace eventspace
