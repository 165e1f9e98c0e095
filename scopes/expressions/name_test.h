#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scopes/expressions/syntax.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::expressions {

/// Compares the name behind a number with a fixed text or pattern. Caches the results for the last numbers:
/// names do not change, and the records of one thread come together. Not thread-safe.
class NameTest {
 public:
  /// `op` is equal, unequal or matches; `field` is a text without words.
  NameTest(FieldReader field, Operator op, std::string_view wanted)
      : field_(field), op_(op), wanted_(wanted) {}

  /// Returns the result of the comparison; false for an event that lacks the field.
  [[nodiscard]] bool holds(const ObservedEvent& event, const PlanNames& names) const;

 private:
  struct Known {
    std::uint32_t number{0};
    bool used{false};
    bool holds{false};
  };
  FieldReader field_;
  Operator op_;
  std::string wanted_;
  mutable std::array<Known, 256> known_;
};

/// Returns whether `op`, which is equal, unequal or matches, holds between two texts.
bool compare_texts(Operator op, std::string_view left, std::string_view right);

}  // namespace eventspace::expressions
