#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "scopes/expressions/expression.h"

namespace eventspace::expressions {

/// The fields of an event that an expression can use.
enum class Field : std::uint8_t {
  duration,
  age,
  in_flight,
  verb,
  status,
  from,
  at,
  thread,
  path,
  process,
  node,
  peer,
  bytes,
  missed,
  sequence,
  parameter,
  step
};

struct FieldInfo {
  Field field;
  std::string_view name;
  ValueType type;
  /// For a field whose text is one of a few words: these words, indexed by their numbers in records; an empty
  /// one is an unused number. At most 16. Empty for other fields.
  std::span<const std::string_view> words{};
};

std::span<const FieldInfo> all_fields() noexcept;  ///< in the order of Field
const FieldInfo& info_of(Field field) noexcept;

/// Returns the value of a field that is a number or a duration (in nanoseconds); none if the event lacks it.
std::optional<double> number_of(Field field, const ObservedEvent& event) noexcept;
/// Returns the number of a field that has words. A damaged record may hold a number without a word.
unsigned word_of(Field field, const EventRecord& record) noexcept;
/// Returns the number in the plan behind a field that is a name; none if the event lacks it.
std::optional<std::uint32_t> name_number(Field field, const ObservedEvent& event) noexcept;
std::string_view name_of(Field field, std::uint32_t number, const PlanNames& names);

}  // namespace eventspace::expressions
