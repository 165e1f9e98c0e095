#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "scopes/expressions/expression.h"

namespace eventspace::expressions {

/// What an expression may ask of an event.
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
  /// Of text that is one of few words: these, by the number that stands for each in records; an empty one
  /// stands for none. At most 16.
  std::span<const std::string_view> words{};
};

std::span<const FieldInfo> all_fields() noexcept;  ///< in the order of Field
const FieldInfo& info_of(Field field) noexcept;

/// Of a number or a duration, in nanoseconds; nothing when the event has none.
std::optional<double> number_of(Field field, const ObservedEvent& event) noexcept;
/// Of one of few words: its number, which may be one without a word.
unsigned word_of(Field field, const EventRecord& record) noexcept;
/// Of a name: the number behind it in the plan; nothing when the event has none.
std::optional<std::uint32_t> name_number(Field field, const ObservedEvent& event) noexcept;
std::string_view name_of(Field field, std::uint32_t number, const PlanNames& names);

}  // namespace eventspace::expressions
