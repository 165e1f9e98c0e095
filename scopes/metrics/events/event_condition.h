#pragma once

#include <cstdint>
#include <string_view>

#include "scopes/expressions/expression.h"

namespace eventspace::metrics {

/// A condition over events. Not thread-safe.
class EventCondition {
 public:
  /// `names` must outlive it. Throws ExpressionError as Expression does.
  EventCondition(std::string_view text, const PlanNames& names);

  [[nodiscard]] bool holds(const ObservedEvent& event) const { return expression_.holds(event); }
  /// Whether it uses only an event's kind, verb and point, so that it holds for all events of a class or for
  /// none.
  [[nodiscard]] bool is_of_class() const noexcept { return is_of_class_; }

 private:
  Expression expression_;
  bool is_of_class_;
};

/// The class of an event: its kind, part, verb and point, as bits 0 to 27 of word 3 of its record
/// (collectors/record_header.h).
inline constexpr std::uint64_t class_bits = 0x0fff'ffff;
constexpr std::uint32_t class_of(const TraceTuple& record) noexcept {
  return static_cast<std::uint32_t>(record.words[3] & class_bits);
}
/// The place of a class in a table with this many places. Its bits are mixed, as points are often multiples.
constexpr std::size_t place_of_class(std::uint32_t of, std::size_t places) noexcept {
  constexpr std::uint32_t factor = 0x9e3779b1;
  return (of * factor >> 16) % places;
}

}  // namespace eventspace::metrics
