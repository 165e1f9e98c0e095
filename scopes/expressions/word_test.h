#pragma once

// Private to scopes/.

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

  /// Returns the result of the comparison; false for an event that lacks the field, or whose number has no
  /// word.
  [[nodiscard]] bool holds(const ObservedEvent& event) const noexcept;

 private:
  FieldReader field_;
  std::vector<std::vector<bool>> holds_;  // by kind and number; missing entries are false
};

}  // namespace eventspace::expressions
