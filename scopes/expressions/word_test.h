#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scopes/expressions/syntax.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::expressions {

/// Compares a field that has words with a fixed text or pattern. The words of each kind of event are compared
/// once, in the constructor. Thread-safe.
class WordTest {
 public:
  /// `op` is equal, unequal or matches; `field` has words, or is the kind of event.
  WordTest(FieldId field, Operator op, std::string_view wanted);

  /// Returns the result of the comparison; false for an event that lacks the field, or whose number does not
  /// have a word.
  [[nodiscard]] bool holds(const ObservedEvent& event) const noexcept;

 private:
  void set(std::uint8_t kind, std::size_t number);

  FieldReader field_;
  std::size_t words_of_a_kind_{0};    // of bits
  std::vector<std::uint64_t> holds_;  // a bit for each number of each kind; missing ones are 0
};

}  // namespace eventspace::expressions
