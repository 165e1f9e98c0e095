#include "monitors/events/event_printer.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "monitors/text/code_places.h"
#include "monitors/text/json.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

// The start on the node's clock.
std::int64_t start_ns(const ObservedEvent& event) {
  const ClockCalibration raw;  // without a calibration, a tick counts as a nanosecond
  return (event.process != nullptr ? event.process->clock : raw).to_realtime_ns(event.start());
}

// Rounded: a stamp is not exact to fractions of a nanosecond.
std::optional<std::int64_t> whole_duration(const ObservedEvent& event) {
  const auto duration = event.duration_ns();
  return duration ? std::optional(saturating::round(*duration)) : std::nullopt;
}

std::chrono::nanoseconds whole_ns(double ns) { return std::chrono::nanoseconds(saturating::round(ns)); }

// "1.2us", or "1.2us+-300ns" where the two times are of different clocks.
std::string after_text(const BoundedTime& before, const BoundedTime& after) {
  const std::int64_t ns = saturating::subtract(after.ns, before.ns);
  const std::string text =
      (ns < 0 ? "-" : "") +
      short_duration(std::chrono::nanoseconds(ns < 0 ? saturating::subtract(0, ns) : ns));
  if (!before.error_ns || !after.error_ns) return text + "+-?";
  return fmt::format(
      "{}+-{}", text,
      short_duration(std::chrono::nanoseconds(saturating::add(*before.error_ns, *after.error_ns))));
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

std::string_view point_of(const RecordHeader& header) {
  return header.kind == operation_kind && header.point != static_cast<std::uint16_t>(CollectPoint::thread)
             ? to_string(static_cast<CollectPoint>(header.point))
             : "";
}

template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

template <class Value>
void append_csv(const std::optional<Value>& value, std::string& lines) {
  lines += ',';
  if (value) fmt::format_to(std::back_inserter(lines), "{}", *value);
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

// A place in the program is shown as function, file and line.
std::optional<std::string> place_of(const FieldReader& column, const FieldReader::Value& value) {
  const auto* const place = std::get_if<std::string_view>(&value);
  if (place == nullptr || column.field().names != NumberNames::sites) return std::nullopt;
  return CodePlaces::instance().describe(*place);
}

Json json_of(const FieldReader& column, const FieldReader::Value& value) {
  const auto place = place_of(column, value);
  if (!place) return json_of(value);
  return place->empty() ? Json() : Json(*place);
}

void append_csv(const FieldReader& column, const FieldReader::Value& value, std::string& lines) {
  const auto place = place_of(column, value);
  append_csv(place ? FieldReader::Value(std::string_view(*place)) : value, lines);
}

}  // namespace

EventPrinter::EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks,
                           const PlanNames& names)
    : out_(&out), format_(format), clocks_(&clocks), names_(&names), columns_(columns()) {
  if (format_ != Format::csv) return;
  lines_ = "start_ns,duration_ns,";
  for (const FieldReader& column : columns_) lines_ += column.field().name + ",";
  lines_ +=
      "start_here_ns,error_ns,element_start_ns,element_duration_ns,element_start_here_ns,element_error_ns,"
      "element_process,element_sequence\n";
}

void EventPrinter::print(const EventRow& row) {
  const std::span<const TraceTuple> records = row.records;
  const TraceTuple& own = records.back();
  const ObservedEvent event{own, clocks_->process_of(header_of(own)), records.first(records.size() - 1)};
  const AtElement element = at_element(row);
  switch (format_) {
    case Format::text:
      return print_text(event, element);
    case Format::json:
      return print_json(event, element);
    case Format::csv:
      return print_csv(event, element);
  }
}

bool EventPrinter::flush() {
  out_->write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  lines_.clear();
  return static_cast<bool>(out_->flush());
}

EventPrinter::AtElement EventPrinter::at_element(const EventRow& row) const {
  if (!row.at_element) return {};
  const RecordHeader thread = header_of(row.records.back());
  const RecordHeader header = header_of(*row.at_element);
  const ObservedEvent event{*row.at_element, clocks_->process_of(header)};
  AtElement element{start_ns(event), whole_duration(event)};
  if (const auto here = clocks_->start_here(header)) {
    element.start_here_ns = here->ns;
    element.error_ns = here->error_ns;
    if (const auto before = clocks_->start_here(thread)) element.after = after_text(*before, *here);
  }
  // The common clock of both is better than the clocks of two processes.
  if (event.process != nullptr && event.process == clocks_->process_of(thread))
    element.after = short_duration(whole_ns(event.process->clock.ns_between(thread.start, header.start)));
  if (event.process != nullptr) element.process = names_->process_name(event.process->process);
  element.sequence = header.sequence;
  return element;
}

void EventPrinter::print_text(const ObservedEvent& event, const AtElement& element) {
  const auto out = std::back_inserter(lines_);
  const auto text_of = [](const std::optional<std::int64_t>& duration) {
    return duration ? short_duration(std::chrono::nanoseconds(*duration)) : "-";
  };
  fmt::format_to(out, "{}  {:<6} {:<32} {:<9} {:>8} ", format_realtime(start_ns(event)),
                 names_->thread_name(event.header().thread), describe_event(event, *names_),
                 status_.text(event, *names_).value_or(""), text_of(whole_duration(event)));
  if (const std::string_view point = point_of(event.header()); !point.empty())
    fmt::format_to(out, " point={}", point);
  if (element.sequence) fmt::format_to(out, " element_duration={}", text_of(element.duration_ns));
  if (!element.after.empty()) fmt::format_to(out, " element_after={}", element.after);
  if (const auto place = site_.text(event, *names_); place && !place->empty())
    fmt::format_to(out, " at={}", CodePlaces::instance().describe(*place));
  for (const FieldReader& column : columns_) {
    if (column.field().type != ValueType::number || is_described(event.header().kind, column.field().name))
      continue;
    const auto value = column.value(event, *names_);
    if (std::holds_alternative<std::monostate>(value)) continue;
    fmt::format_to(out, " {}=", column.field().name);
    append_csv(value, lines_);
  }
  lines_ += '\n';
}

void EventPrinter::print_json(const ObservedEvent& event, const AtElement& element) {
  Json json = Json::object({{"start_ns", start_ns(event)}, {"duration_ns", whole_duration(event)}});
  for (const FieldReader& column : columns_) {
    if (column.is_in(event.header().kind))
      json.set(column.field().name, json_of(column, column.value(event, *names_)));
  }
  const auto here = clocks_->start_here(event.header());
  json.set("start_here_ns", here ? Json(here->ns) : Json());
  json.set("error_ns", here ? Json(here->error_ns) : Json());
  if (event.header().kind == operation_kind) {
    json.set("element_start_ns", json_of(element.start_ns));
    json.set("element_duration_ns", json_of(element.duration_ns));
    json.set("element_start_here_ns", json_of(element.start_here_ns));
    json.set("element_error_ns", json_of(element.error_ns));
    json.set("element_process", json_of(element.process));
    json.set("element_sequence", json_of(element.sequence));
  }
  lines_ += json.dump();
  lines_ += '\n';
}

void EventPrinter::print_csv(const ObservedEvent& event, const AtElement& element) {
  const auto out = std::back_inserter(lines_);
  fmt::format_to(out, "{}", start_ns(event));
  append_csv(whole_duration(event), lines_);
  for (const FieldReader& column : columns_) {
    lines_ += ',';
    append_csv(column, column.value(event, *names_), lines_);
  }
  const auto here = clocks_->start_here(event.header());
  append_csv(here ? std::optional(here->ns) : std::nullopt, lines_);
  append_csv(here ? here->error_ns : std::nullopt, lines_);
  append_csv(element.start_ns, lines_);
  append_csv(element.duration_ns, lines_);
  append_csv(element.start_here_ns, lines_);
  append_csv(element.error_ns, lines_);
  lines_ += ',' + csv_value(std::string(element.process.value_or("")));
  append_csv(element.sequence, lines_);
  lines_ += '\n';
}

}  // namespace eventspace
