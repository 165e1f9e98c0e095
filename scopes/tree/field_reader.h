#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "scopes/tree/local_ids.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// A field of the vocabulary (collectors/kinds/event_kinds.h), read from events of any kind. Copyable;
/// thread-safe.
class FieldReader {
 public:
  explicit FieldReader(FieldId field) noexcept;
  /// Throws ConfigurationError if the vocabulary does not have the field.
  explicit FieldReader(std::string_view name);

  [[nodiscard]] const EventField& field() const noexcept { return *field_; }
  /// Returns the value of a field that is a number or a duration (in nanoseconds); nothing if the event lacks
  /// it.
  [[nodiscard]] std::optional<double> number(const ObservedEvent& event) const noexcept;
  /// Returns the number behind a text field, that is, of a word, a thread, a path, a process or a kind;
  /// nothing if the event lacks it.
  [[nodiscard]] std::optional<std::uint32_t> name_number(const ObservedEvent& event) const noexcept;
  /// The same for a stored field, from its bits in an event with this header.
  [[nodiscard]] std::uint32_t name_number(const RecordHeader& header, std::uint64_t bits) const noexcept {
    const auto number = static_cast<std::uint32_t>(bits);
    return field_->names == NumberNames::sites ? site_in_scope(header.thread, number) : number;
  }
  /// Returns the text behind a number in events of `kind`; empty for a word that the kind does not have.
  [[nodiscard]] std::string_view name(std::uint8_t kind, std::uint32_t number, const PlanNames& names) const;
  /// Returns the text of a text field; nothing if the event lacks it.
  [[nodiscard]] std::optional<std::string_view> text(const ObservedEvent& event,
                                                     const PlanNames& names) const;
  /// The value of any field, with the exact bits of a stored number; the first alternative if the event lacks
  /// the field.
  using Value = std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string_view>;
  [[nodiscard]] Value value(const ObservedEvent& event, const PlanNames& names) const;
  /// Whether events of this kind can have the field.
  [[nodiscard]] bool is_in(std::uint8_t kind) const noexcept;
  /// Returns the bits of a stored field; nothing if the event lacks it, or if the field is not stored.
  [[nodiscard]] std::optional<std::uint64_t> bits(const ObservedEvent& event) const noexcept;
  /// The same for an event without continuation records.
  [[nodiscard]] std::optional<std::uint64_t> bits(const TraceTuple& record) const noexcept;

 private:
  /// The place of the field in an event, and the record that holds it; null pointers if the event lacks it.
  struct Found {
    const FieldPlace* place{nullptr};
    const TraceTuple* record{nullptr};
  };
  [[nodiscard]] Found find(const ObservedEvent& event) const noexcept;
  [[nodiscard]] static Found find_in_continuations(const ObservedEvent& event,
                                                   const FieldPlace& place) noexcept;
  [[nodiscard]] std::optional<double> number_of_times(const ObservedEvent& event) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> number_of_kind_or_process(
      const ObservedEvent& event) const noexcept;

  /// Whether this is `virtual_time` and the event lacks it although its kind has a place for it. It is
  /// written when an event ends, and for an operation only by the application's thread, which has the value.
  [[nodiscard]] bool lacks_virtual_time(const RecordHeader& header) const noexcept;

  const EventKinds* kinds_;
  const EventField* field_;
  FieldId id_;
  bool is_virtual_time_;
};

// The functions below are called for each event: filters and groups spend most of their time there.

inline FieldReader::Found FieldReader::find(const ObservedEvent& event) const noexcept {
  const RecordHeader header = event.header();
  if (is_virtual_time_ && lacks_virtual_time(header)) return {};
  const FieldPlace* const place = kinds_->place(header.kind, id_);
  if (place == nullptr || place->part == header.part || place->in_every_part) [[likely]]
    return {place, &event.record};
  return find_in_continuations(event, *place);
}

inline std::optional<std::uint64_t> FieldReader::bits(const ObservedEvent& event) const noexcept {
  const Found found = find(event);
  if (found.place == nullptr) return std::nullopt;
  return found.place->bits_of(*found.record);
}

inline std::optional<std::uint64_t> FieldReader::bits(const TraceTuple& record) const noexcept {
  const RecordHeader header = header_of(record);
  const FieldPlace* const place = kinds_->place(header.kind, id_);
  if (place == nullptr || !place->is_in_part(header.part)) return std::nullopt;
  if (is_virtual_time_ && lacks_virtual_time(header)) return std::nullopt;
  return place->bits_of(record);
}

inline std::optional<double> FieldReader::number(const ObservedEvent& event) const noexcept {
  if (field_->source != FieldSource::stored) return number_of_times(event);
  const Found found = find(event);
  if (found.place == nullptr) return std::nullopt;
  return found.place->number(*found.record);
}

inline std::optional<std::uint32_t> FieldReader::name_number(const ObservedEvent& event) const noexcept {
  if (field_->source != FieldSource::stored) return number_of_kind_or_process(event);
  const auto stored = bits(event);
  if (!stored) return std::nullopt;
  return name_number(event.header(), *stored);
}

/// The words that any kind of event has for a field; without duplicates, in the order of kinds and numbers.
std::vector<std::string_view> words_of(FieldId field);

/// The names of the fields of the vocabulary for which `chosen` is true.
std::vector<std::string> field_names(bool (*chosen)(const EventField& field));

}  // namespace eventspace
