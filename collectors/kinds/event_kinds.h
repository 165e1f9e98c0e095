#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/kinds/event_field.h"
#include "collectors/record_header.h"

namespace eventspace {

/// A kind of event, with the meaning of the words of its records.
struct EventKind {
  std::uint8_t number{0};  ///< in RecordHeader::kind; 1 to 255, part of the record format
  std::string name;        ///< as in `kind == 'operation'`
  std::string help;        ///< one line, for people
  std::vector<FieldPlace> fields;
  /// The most continuation records of an event beside the records that hold fields.
  std::uint8_t continuations{0};
};

/// The index of a field in the vocabulary.
using FieldId = std::uint16_t;

/// The kinds of events and the vocabulary of their fields: the one table that expressions, printers, orders,
/// groups, exporters and the documentation use. A new kind registers its fields and itself; a field of
/// several kinds is registered once, and has one name, one type and one meaning.
///
/// Thread-safety: any number of threads may look up. Add kinds at program start, before a pathmap is read and
/// before other threads look up.
///
///     EventKinds& kinds = EventKinds::instance();
///     kinds.add_field({"mark", ValueType::number, FieldSource::stored, NumberNames::none, "the message's
///     mark"}); kinds.add({7, "message", "a message", {{.field = "mark", .word = 6, .bits = 32}}});
class EventKinds {
 public:
  /// Creates a registry with the built-in fields and kinds.
  EventKinds();
  EventKinds(const EventKinds&) = delete;
  EventKinds& operator=(const EventKinds&) = delete;
  ~EventKinds();
  static EventKinds& instance();

  /// Throws ConfigurationError, and adds nothing, if a field has this name.
  void add_field(EventField field);
  /// Throws ConfigurationError, and adds nothing, if the number or name is taken, a field is unknown or not
  /// stored, or a place is not within the bits that belong to the kind.
  void add(EventKind kind);

  /// Returns null for an unknown number: records can hold any. The pointer stays valid.
  [[nodiscard]] const EventKind* find(std::uint8_t number) const noexcept { return kinds_[number].get(); }
  [[nodiscard]] const EventKind* find(std::string_view name) const noexcept;
  /// The most records of an event that follow `record`; 0 unless it is a continuation record that the kind
  /// allows.
  [[nodiscard]] std::uint8_t records_after(const TraceTuple& record) const noexcept;
  /// The name of a kind; "?" for an unknown number.
  [[nodiscard]] std::string_view name_of(std::uint8_t kind) const noexcept;
  /// All kinds, by number.
  [[nodiscard]] std::vector<const EventKind*> kinds() const;

  /// The vocabulary, in the order in which it was added; the index is the FieldId.
  [[nodiscard]] const std::deque<EventField>& fields() const noexcept { return fields_; }
  [[nodiscard]] const EventField& field(FieldId field) const noexcept { return fields_[field]; }
  [[nodiscard]] std::optional<FieldId> field_named(std::string_view name) const noexcept;
  /// The place of a field in records of a kind; null if the kind lacks the field. Unknown kinds have the
  /// fields of RecordHeader.
  [[nodiscard]] const FieldPlace* place(std::uint8_t kind, FieldId field) const noexcept {
    const auto& places = places_[kind];
    return field < places.size() ? places[field] : nullptr;
  }
  /// The places of all numbers of threads and paths in records of a kind (NumberNames), for a reader that
  /// replaces these numbers.
  [[nodiscard]] const std::vector<const FieldPlace*>& numbered(std::uint8_t kind) const noexcept {
    return numbered_[kind];
  }

 private:
  void index(const EventKind& kind);
  void check(const EventKind& kind) const;
  void check(const EventKind& kind, const FieldPlace& place) const;

  std::deque<EventField> fields_;
  std::vector<FieldPlace> common_;  // for all kinds
  std::array<std::unique_ptr<const EventKind>, 256> kinds_;
  std::array<std::vector<const FieldPlace*>, 256> places_;  // by kind and field; null if the kind lacks it
  std::array<std::vector<const FieldPlace*>, 256> numbered_;
};

}  // namespace eventspace
