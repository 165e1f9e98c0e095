#pragma once

#include <cmath>

#include "scopes/expressions/syntax.h"

namespace eventspace::expressions {

/// The result of a comparison. `op` is between equal and at_least.
template <class Type>
bool compare(Operator op, const Type& left, const Type& right) noexcept {
  switch (op) {
    case Operator::equal:
      return left == right;
    case Operator::unequal:
      return left != right;
    case Operator::less:
      return left < right;
    case Operator::at_most:
      return left <= right;
    case Operator::greater:
      return left > right;
    default:
      return left >= right;
  }
}

/// The result of an arithmetic operation; not finite after a division by zero or an overflow. `op` is between
/// plus and modulo.
inline double calculate(Operator op, double left, double right) noexcept {
  switch (op) {
    case Operator::plus:
      return left + right;
    case Operator::minus:
      return left - right;
    case Operator::times:
      return left * right;
    case Operator::divided:
      return left / right;
    default:
      return std::fmod(left, right);
  }
}

}  // namespace eventspace::expressions
