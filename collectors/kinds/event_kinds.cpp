#include "collectors/kinds/event_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "collectors/kinds/built_in_kinds.h"

namespace eventspace {
namespace {

/// The bits of each word that belong to a record's kind; the others are those of RecordHeader.
constexpr std::array<std::uint64_t, 8> own_bits{
    0, 0, 0, 0xffff'ffff'f000'f000, 0, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};

std::vector<FieldPlace> header_places() {
  return {
      {.field = "sequence", .word = 0, .in_every_part = true},
      {.field = "thread", .word = 2, .bits = 32, .in_every_part = true},
      {.field = "path", .word = 2, .shift = 32, .bits = 32, .in_every_part = true},
      {.field = "point", .word = 3, .shift = 16, .bits = 12, .words = point_names, .in_every_part = true}};
}

bool is_within_own_bits(const FieldPlace& place) noexcept {
  if (place.word > 7 || place.bits < 1 || place.shift + place.bits > 64) return false;
  const std::uint64_t bits = (~std::uint64_t{0} >> (64 - place.bits)) << place.shift;
  return (bits & ~own_bits[place.word]) == 0;
}

bool is_numbered(const EventField& field) noexcept {
  return field.names == NumberNames::threads || field.names == NumberNames::paths;
}

}  // namespace

std::string_view to_string(ValueType type) noexcept {
  constexpr std::array<std::string_view, 4> texts{"true or false", "a number", "a duration", "text"};
  return texts[static_cast<std::size_t>(type)];
}

EventKinds::EventKinds() {
  for (EventField& field : built_in_fields()) add_field(std::move(field));
  common_ = header_places();
  std::vector<const FieldPlace*> of_all(fields_.size());
  std::vector<const FieldPlace*> numbered;
  for (const FieldPlace& place : common_) {
    const FieldId id = *field_named(place.field);
    of_all[id] = &place;
    if (is_numbered(field(id))) numbered.push_back(&place);
  }
  places_.fill(of_all);
  numbered_.fill(numbered);
  for (EventKind& kind : built_in_kinds()) add(std::move(kind));
}

EventKinds::~EventKinds() = default;

EventKinds& EventKinds::instance() {
  static EventKinds kinds;
  return kinds;
}

void EventKinds::add_field(EventField field) {
  if (field_named(field.name)) {
    throw ConfigurationError(fmt::format(
        "a field of events named '{}' is registered already; use it, or choose another name", field.name));
  }
  fields_.push_back(std::move(field));
}

void EventKinds::add(EventKind kind) {
  check(kind);
  std::vector<FieldPlace> places = common_;
  places.insert(places.end(), kind.fields.begin(), kind.fields.end());
  kind.fields = std::move(places);
  const std::uint8_t number = kind.number;
  kinds_[number] = std::make_unique<const EventKind>(std::move(kind));
  index(*kinds_[number]);
}

void EventKinds::index(const EventKind& kind) {
  auto& places = places_[kind.number];
  auto& numbered = numbered_[kind.number];
  places.resize(fields_.size());
  numbered.clear();
  for (const FieldPlace& place : kind.fields) {
    const FieldId id = *field_named(place.field);
    places[id] = &place;
    if (is_numbered(field(id))) numbered.push_back(&place);
  }
}

void EventKinds::check(const EventKind& kind) const {
  if (kind.number == 0) {
    throw ConfigurationError(
        fmt::format("event kind '{}': 0 is not a kind's number; use 1 to 255", kind.name));
  }
  if (const EventKind* const other = find(kind.number)) {
    throw ConfigurationError(fmt::format("event kind '{}': the number {} belongs to the kind '{}'", kind.name,
                                         kind.number, other->name));
  }
  if (find(kind.name) != nullptr) {
    throw ConfigurationError(fmt::format("an event kind named '{}' is registered already", kind.name));
  }
  for (const FieldPlace& place : kind.fields) check(kind, place);
}

void EventKinds::check(const EventKind& kind, const FieldPlace& place) const {
  const auto id = field_named(place.field);
  if (!id || field(*id).source != FieldSource::stored) {
    throw ConfigurationError(
        fmt::format("event kind '{}': '{}' is not a stored field of the vocabulary", kind.name, place.field));
  }
  if (!is_within_own_bits(place) || place.part > max_continuations) {
    throw ConfigurationError(
        fmt::format("event kind '{}': field '{}' (word {}, bits {} to {}, part {}) is not within the bits of "
                    "a kind: bits 12 to 15 and 28 to 63 of word 3, and words 5 to 7, of parts 0 to {}",
                    kind.name, place.field, place.word, place.shift, place.shift + place.bits - 1, place.part,
                    max_continuations));
  }
  const auto same = std::ranges::count(kind.fields, place.field, &FieldPlace::field);
  if (same > 1 || std::ranges::find(common_, place.field, &FieldPlace::field) != common_.end()) {
    throw ConfigurationError(
        fmt::format("event kind '{}': field '{}' has two places", kind.name, place.field));
  }
}

const EventKind* EventKinds::find(std::string_view name) const noexcept {
  const auto found =
      std::ranges::find_if(kinds_, [name](const auto& kind) { return kind && kind->name == name; });
  return found == kinds_.end() ? nullptr : found->get();
}

std::uint8_t EventKinds::records_after(const TraceTuple& record) const noexcept {
  const RecordHeader header = header_of(record);
  const EventKind* const kind = header.part == 0 ? nullptr : find(header.kind);
  if (kind == nullptr) return 0;
  const auto has_part = [&header](const FieldPlace& place) { return place.part >= header.part; };
  return kind->continuations >= header.part || std::ranges::any_of(kind->fields, has_part) ? header.part : 0;
}

std::string_view EventKinds::name_of(std::uint8_t kind) const noexcept {
  const EventKind* const found = find(kind);
  return found == nullptr ? std::string_view("?") : std::string_view(found->name);
}

std::vector<const EventKind*> EventKinds::kinds() const {
  std::vector<const EventKind*> all;
  for (const auto& kind : kinds_) {
    if (kind) all.push_back(kind.get());
  }
  return all;
}

std::optional<FieldId> EventKinds::field_named(std::string_view name) const noexcept {
  const auto found = std::ranges::find(fields_, name, &EventField::name);
  if (found == fields_.end()) return std::nullopt;
  return static_cast<FieldId>(found - fields_.begin());
}

}  // namespace eventspace
