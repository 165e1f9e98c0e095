#include "monitors/events/event_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <variant>

#include "monitors/cli/json.h"
#include "monitors/cli/text_format.h"

namespace eventspace {
namespace {

// The start on the node's clock.
std::int64_t start_ns(const ObservedEvent& event) {
  const ClockCalibration raw;  // without a calibration, a tick counts as a nanosecond
  return (event.process != nullptr ? event.process->clock : raw).to_realtime_ns(event.start());
}

// The fields between the times.
std::vector<FieldReader> columns() {
  std::vector<FieldReader> columns;
  for (const EventField& field : EventKinds::instance().fields()) {
    switch (field.source) {
      case FieldSource::stored:
      case FieldSource::kind:
      case FieldSource::process:
      case FieldSource::node:
        columns.emplace_back(field.name);
        break;
      default:
        break;
    }
  }
  return columns;
}

// Appends nothing for a value that is missing.
void append_csv(const FieldReader::Value& value, std::string& lines) {
  std::visit(
      [&lines](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          lines += csv_value(std::string(held));
        } else if constexpr (!std::is_same_v<Held, std::monostate>) {
          fmt::format_to(std::back_inserter(lines), "{}", held);
        }
      },
      value);
}

// Whether describe_event() shows the field.
bool is_described(const EventField& field) {
  static constexpr std::array<std::string_view, 3> of_mpi{"partner", "tag", "ordinal"};
  return field.name.starts_with("value") || std::ranges::find(of_mpi, field.name) != of_mpi.end();
}

Json json_of(const FieldReader::Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return Json();
        } else {
          return Json(held);
        }
      },
      value);
}

}  // namespace

EventPrinter::EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks,
                           const PlanNames& names)
    : out_(&out), format_(format), clocks_(&clocks), names_(&names), columns_(columns()) {
  if (format_ != Format::csv) return;
  lines_ = "start_ns,duration_ns,";
  for (const FieldReader& column : columns_) lines_ += column.field().name + ",";
  lines_ += "start_here_ns,error_ns\n";
}

void EventPrinter::print(std::span<const TraceTuple> records) {
  const TraceTuple& own = records.back();
  const ObservedEvent event{own, clocks_->process_of(header_of(own)), records.first(records.size() - 1)};
  switch (format_) {
    case Format::text:
      return print_text(event);
    case Format::json:
      return print_json(event);
    case Format::csv:
      return print_csv(event);
  }
}

bool EventPrinter::flush() {
  out_->write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  lines_.clear();
  return static_cast<bool>(out_->flush());
}

void EventPrinter::print_text(const ObservedEvent& event) {
  const auto duration = event.duration_ns();
  fmt::format_to(
      std::back_inserter(lines_), "{}  {:<6} {:<32} {:<9} {:>8} ", format_realtime(start_ns(event)),
      names_->thread_name(event.header().thread), describe_event(event, *names_),
      status_.text(event, *names_).value_or(""),
      duration ? short_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(*duration))) : "-");
  for (const FieldReader& column : columns_) {
    if (column.field().type != ValueType::number || is_described(column.field())) continue;
    const auto value = column.value(event, *names_);
    if (std::holds_alternative<std::monostate>(value)) continue;
    fmt::format_to(std::back_inserter(lines_), " {}=", column.field().name);
    append_csv(value, lines_);
  }
  lines_ += '\n';
}

void EventPrinter::print_json(const ObservedEvent& event) {
  Json json = Json::object({{"start_ns", start_ns(event)}, {"duration_ns", event.duration_ns()}});
  for (const FieldReader& column : columns_) {
    if (column.is_in(event.header().kind))
      json.set(column.field().name, json_of(column.value(event, *names_)));
  }
  const auto here = clocks_->start_here(event.header());
  json.set("start_here_ns", here ? Json(here->ns) : Json());
  json.set("error_ns", here ? Json(here->error_ns) : Json());
  lines_ += json.dump();
  lines_ += '\n';
}

void EventPrinter::print_csv(const ObservedEvent& event) {
  const auto out = std::back_inserter(lines_);
  fmt::format_to(out, "{},", start_ns(event));
  if (const auto duration = event.duration_ns()) fmt::format_to(out, "{:.0f}", *duration);
  lines_ += ',';
  for (const FieldReader& column : columns_) {
    append_csv(column.value(event, *names_), lines_);
    lines_ += ',';
  }
  const auto here = clocks_->start_here(event.header());
  if (here) fmt::format_to(out, "{}", here->ns);
  lines_ += ',';
  if (here && here->error_ns) fmt::format_to(out, "{}", *here->error_ns);
  lines_ += '\n';
}

}  // namespace eventspace
