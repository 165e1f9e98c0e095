#include "scopes/expressions/type_rules.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace eventspace::expressions {
namespace {

std::string_view rule_of_arithmetic(Operator op) noexcept {
  if (op == Operator::times) return "two numbers, or a duration and a number";
  if (op == Operator::divided) return "two numbers, two durations, or a duration by a number";
  return "two numbers or two durations";
}

/// Returns nothing if the operator does not take operands of these types.
std::optional<ValueType> type_of_arithmetic(Operator op, ValueType left, ValueType right) {
  if (!is_quantity(left) || !is_quantity(right)) return std::nullopt;
  const bool durations = left == ValueType::duration && right == ValueType::duration;
  if (left == right) {
    if (op == Operator::divided) return ValueType::number;
    if (op == Operator::times && durations) return std::nullopt;
    return left;
  }
  if (op == Operator::times || (op == Operator::divided && left == ValueType::duration))
    return ValueType::duration;
  return std::nullopt;
}

}  // namespace

std::string shown(const Syntax& syntax) {
  constexpr std::size_t most = 40;
  const auto source = syntax.source;
  if (source.size() > most) return fmt::format("'{}...'", source.substr(0, most));
  const bool quoted = source.front() == '\'' || source.front() == '"';
  return quoted ? std::string(source) : fmt::format("'{}'", source);
}

std::string described(const Syntax& syntax, ValueType type) {
  return fmt::format("{} is {}", shown(syntax), to_string(type));
}

void require_type(const Syntax& whole, ValueType type, std::span<const ValueType> allowed) {
  if (std::ranges::find(allowed, type) != allowed.end()) return;
  std::vector<std::string_view> types;
  for (const ValueType one : allowed) types.push_back(to_string(one));
  fail(whole.begin, "{}; expected {}", described(whole, type), fmt::join(types, " or "));
}

void check_unary(const Syntax& syntax, ValueType operand) {
  const bool negates = syntax.op == Operator::negates;
  if (negates && operand != ValueType::boolean)
    fail(syntax.left->begin, "{}: 'not' takes true or false", described(*syntax.left, operand));
  if (!negates && !is_quantity(operand))
    fail(syntax.left->begin, "{}: '-' takes a number or a duration", described(*syntax.left, operand));
}

void check_logic(const Syntax& syntax, ValueType left, ValueType right) {
  const auto check = [&](const Syntax& operand, ValueType type) {
    if (type != ValueType::boolean)
      fail(operand.begin, "{}: '{}' takes true or false", described(operand, type), to_string(syntax.op));
  };
  check(*syntax.left, left);
  check(*syntax.right, right);
}

void check_comparison(const Syntax& syntax, ValueType left, ValueType right) {
  const Operator op = syntax.op;
  if (left != right)
    fail(syntax.operator_begin, "{} and {}: '{}' compares values of one type", described(*syntax.left, left),
         described(*syntax.right, right), to_string(op));
  if (!is_quantity(left) && op != Operator::equal && op != Operator::unequal)
    fail(syntax.operator_begin, "{}: '{}' compares numbers and durations", described(*syntax.left, left),
         to_string(op));
}

ValueType arithmetic_type(const Syntax& syntax, ValueType left, ValueType right) {
  const auto type = type_of_arithmetic(syntax.op, left, right);
  if (!type)
    fail(syntax.operator_begin, "{} and {}: '{}' takes {}", described(*syntax.left, left),
         described(*syntax.right, right), to_string(syntax.op), rule_of_arithmetic(syntax.op));
  return *type;
}

}  // namespace eventspace::expressions
