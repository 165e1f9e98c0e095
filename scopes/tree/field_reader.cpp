#include "scopes/tree/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include <eventspace/error.h>
#include "collectors/event_record.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

FieldId field_or_throw(std::string_view name) {
  if (const auto id = EventKinds::instance().field_named(name)) return *id;
  std::vector<std::string_view> known;
  for (const EventField& field : EventKinds::instance().fields()) known.emplace_back(field.name);
  throw ConfigurationError(fmt::format("unknown field '{}'{}", name, hint(name, known, known.size())));
}

}  // namespace

FieldReader::FieldReader(FieldId field) noexcept
    : kinds_(&EventKinds::instance()),
      field_(&kinds_->field(field)),
      id_(field),
      is_virtual_time_(field_->name == "virtual_time") {}
FieldReader::FieldReader(std::string_view name) : FieldReader(field_or_throw(name)) {}

bool FieldReader::lacks_virtual_time(const RecordHeader& header) const noexcept {
  constexpr std::uint16_t element = 1;
  static_assert(point_names[element] == "element");
  return header.in_flight() || (header.kind == operation_kind && header.point == element);
}

// The record of an event is a continuation record if the others were in another view.
FieldReader::Found FieldReader::find_in_continuations(const ObservedEvent& event,
                                                      const FieldPlace& place) noexcept {
  const auto part = std::ranges::find_if(event.continuations, [&place](const TraceTuple& record) {
    return header_of(record).part == place.part;
  });
  if (part == event.continuations.end()) return {};
  return {&place, &*part};
}

std::optional<double> FieldReader::number_of_times(const ObservedEvent& event) const noexcept {
  switch (field_->source) {
    case FieldSource::duration:
      return event.duration_ns();
    case FieldSource::age:
      return event.ns_since_start();
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> FieldReader::number_of_kind_or_process(
    const ObservedEvent& event) const noexcept {
  switch (field_->source) {
    case FieldSource::kind:
      return event.header().kind;
    case FieldSource::process:
    case FieldSource::node:
      if (event.process == nullptr) return std::nullopt;
      return event.process->process;
    default:  // words of the record's times, such as the end, do not have names
      return std::nullopt;
  }
}

std::string_view FieldReader::name(std::uint8_t kind, std::uint32_t number, const PlanNames& names) const {
  if (field_->source == FieldSource::kind) return kinds_->name_of(static_cast<std::uint8_t>(number));
  if (field_->source == FieldSource::process) return names.process_name(number);
  if (field_->source == FieldSource::node) return names.node_of_process(number);
  switch (field_->names) {
    case NumberNames::threads:
      return names.thread_name(number);
    case NumberNames::paths:
      return names.path_name(number);
    case NumberNames::names:
      return names.probe_name(number);
    case NumberNames::communicators:
      return names.communicator_name(number);
    case NumberNames::sites:
      return names.site_name(number);
    default:
      break;
  }
  const FieldPlace* const place = kinds_->place(kind, id_);
  return place == nullptr || number >= place->words.size() ? std::string_view() : place->words[number];
}

std::optional<std::string_view> FieldReader::text(const ObservedEvent& event, const PlanNames& names) const {
  const auto number = name_number(event);
  if (!number) return std::nullopt;
  const std::string_view text = name(event.header().kind, *number, names);
  if (text.empty() && field_->names == NumberNames::words) return std::nullopt;
  return text;
}

FieldReader::Value FieldReader::value(const ObservedEvent& event, const PlanNames& names) const {
  const auto any = [](const auto& found) { return found ? Value(*found) : Value(); };
  if (field_->type == ValueType::text) return any(text(event, names));
  if (field_->source == FieldSource::in_flight) return event.in_flight();
  if (field_->source == FieldSource::start) return event.start();
  if (field_->source == FieldSource::end) return event.in_flight() ? Value() : Value(event.end());
  if (field_->source != FieldSource::stored) return any(number(event));
  const Found found = find(event);
  if (found.place == nullptr) return {};
  const auto stored = found.place->bits_of(*found.record);
  if (!stored) return {};
  switch (found.place->form_in(*found.record)) {
    case NumberForm::integer:
      return static_cast<std::int64_t>(*stored);
    case NumberForm::real:
      return std::bit_cast<double>(*stored);
    default:
      return *stored;
  }
}

bool FieldReader::is_in(std::uint8_t kind) const noexcept {
  return field_->source != FieldSource::stored || kinds_->place(kind, id_) != nullptr;
}

std::vector<std::string_view> words_of(FieldId field) {
  std::vector<std::string_view> words;
  for (const EventKind* const kind : EventKinds::instance().kinds()) {
    if (EventKinds::instance().field(field).source == FieldSource::kind) words.emplace_back(kind->name);
    const FieldPlace* const place = EventKinds::instance().place(kind->number, field);
    if (place == nullptr) continue;
    for (const std::string_view word : place->words) {
      if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
  }
  return words;
}

std::vector<std::string> field_names(bool (*chosen)(const EventField& field)) {
  std::vector<std::string> names;
  for (const EventField& field : EventKinds::instance().fields()) {
    if (chosen(field)) names.push_back(field.name);
  }
  return names;
}

}  // namespace eventspace
