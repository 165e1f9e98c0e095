#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "collectors/kinds/event_field.h"
#include "scopes/expressions/expression.h"
#include "scopes/expressions/syntax.h"

namespace eventspace::expressions {

// The types of expressions: the operand and result types of each operator. All functions are pure and throw
// ExpressionError, with the place in the expression, for operands that the operator does not take.

template <class... Args>
[[noreturn]] void fail(std::size_t at, fmt::format_string<Args...> form, Args&&... args) {
  throw ExpressionError(at, fmt::format(form, std::forward<Args>(args)...));
}

/// Returns the text of a part as the user wrote it, in quotes, shortened if it is long.
std::string shown(const Syntax& syntax);
/// Returns a text such as "'verb' is text".
std::string described(const Syntax& syntax, ValueType type);

inline bool is_quantity(ValueType type) noexcept {
  return type == ValueType::number || type == ValueType::duration;
}

void require_type(const Syntax& whole, ValueType type, std::span<const ValueType> allowed);
/// For `not` and unary minus, which yield the type of their operand.
void check_unary(const Syntax& syntax, ValueType operand);
/// For `and` and `or`.
void check_logic(const Syntax& syntax, ValueType left, ValueType right);
/// For all comparisons except `matches`.
void check_comparison(const Syntax& syntax, ValueType left, ValueType right);
/// Returns the type of the result of an arithmetic operator.
ValueType arithmetic_type(const Syntax& syntax, ValueType left, ValueType right);

}  // namespace eventspace::expressions
