#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectors/number_form.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The type of a field and of an expression. Durations are in nanoseconds.
enum class ValueType : std::uint8_t { boolean, number, duration, text };
std::string_view to_string(ValueType type) noexcept;  ///< "true or false", "a number", "a duration", "text"

/// The source of a field's value.
enum class FieldSource : std::uint8_t {
  stored,  ///< bits of the record, at the place that the event's kind gives
  kind,    ///< the name of the event's kind
  // Computed from the record's times; in ticks unless the field's type is duration.
  in_flight,
  start,
  end,
  duration,
  age,
  // From the process that recorded the event.
  process,
  node
};

/// The table to which the number of a stored text field refers.
enum class NumberNames : std::uint8_t {
  none,           ///< the field is not a text
  words,          ///< FieldPlace::words
  threads,        ///< threads of the session
  paths,          ///< paths of the session
  names,          ///< names that the recording process gave, such as those of probes
  communicators,  ///< communicators of MPI programs
  sites           ///< places in the program of the process that recorded the event (local_ids.h)
};

/// One entry of the vocabulary: a field of the events of one or several kinds. Expressions, printers, the
/// order and the groups of events, and the documentation take the names of fields from the vocabulary only.
struct EventField {
  std::string name;
  ValueType type{ValueType::number};
  FieldSource source{FieldSource::stored};
  NumberNames names{NumberNames::none};
  std::string help;           ///< one line, for people
  bool in_expressions{true};  ///< false for times: expressions lack a type for them
  bool orders{false};         ///< events can be sorted by it; stored ones have NumberForm::natural
};

/// The place of a field in the records of one kind.
struct FieldPlace {
  std::string field;      ///< name in the vocabulary
  std::uint8_t word{0};   ///< 0 to 7
  std::uint8_t shift{0};  ///< of the lowest bit
  std::uint8_t bits{64};  ///< 1 to 64
  NumberForm form{NumberForm::natural};
  /// If not 0, each record has its own form: the shift of the two bits of word 3 that hold it.
  std::uint8_t form_shift{0};
  /// For NumberNames::words: the words, by number; an empty word is an unused number.
  std::span<const std::string_view> words{};
  std::optional<std::uint64_t> absent{};  ///< the number that means that the event lacks the field
  /// Bits of the word that select which of two fields has this place: this field if they equal `mark`. 0
  /// means that the place is not shared.
  std::uint64_t mark_bits{0};
  std::uint64_t mark{0};
  /// The classes of event (RecordHeader, bits 12 to 15 of word 3) whose records have the field: one bit per
  /// class.
  std::uint16_t classes{0xffff};
  /// For a field in words 5 to 7: the number while the event is in flight; nullopt means that the field is
  /// absent then.
  std::optional<std::uint64_t> in_flight{};
  /// Whether records of this kind have the field in words 5 to 7 while in flight (TraceWriter::begin_wide).
  bool is_begun{false};
  std::uint8_t part{0};       ///< the part of the record that holds the field; 0 is the event's own record
  bool in_every_part{false};  ///< the field has the same place in all records of the event; `part` is 0

  /// Whether records with part `of` have the field.
  [[nodiscard]] bool is_in_part(std::uint8_t of) const noexcept { return in_every_part || part == of; }
  /// Returns the bits in `record`, which is of this kind and part; nullopt if the event lacks the field.
  [[nodiscard]] std::optional<std::uint64_t> bits_of(const TraceTuple& record) const noexcept {
    if (record.words[4] == 0 && word > 3 && !(is_begun && record.words[7] != 0)) {
      if (!in_flight) return std::nullopt;
      return *in_flight;  // not a copy of the whole optional, which would be read from memory before its
                          // store has completed
    }
    const std::uint64_t number = (record.words[word] >> shift) & (~std::uint64_t{0} >> (64 - bits));
    if (number == absent || form_in(record) == NumberForm::absent) return std::nullopt;
    if ((record.words[word] & mark_bits) != mark) return std::nullopt;
    if ((classes >> ((record.words[3] >> 12) & 0xf) & 1) == 0) return std::nullopt;
    return number;
  }
  /// The encoding of the bits in `record`.
  [[nodiscard]] NumberForm form_in(const TraceTuple& record) const noexcept {
    return form_shift == 0 ? form : static_cast<NumberForm>((record.words[3] >> form_shift) & 3);
  }
  /// The number in `record`, rounded to a double; nullopt if the event lacks the field.
  [[nodiscard]] std::optional<double> number(const TraceTuple& record) const noexcept {
    const auto stored = bits_of(record);
    if (!stored) return std::nullopt;
    switch (form_in(record)) {
      case NumberForm::integer:
        return static_cast<double>(static_cast<std::int64_t>(*stored));
      case NumberForm::real:
        return std::bit_cast<double>(*stored);
      case NumberForm::natural:
      case NumberForm::absent:
        break;
    }
    return static_cast<double>(*stored);
  }
};

}  // namespace eventspace
