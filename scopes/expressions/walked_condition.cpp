#include "scopes/expressions/walked_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <eventspace/extend.h>
#include "paths/parameters/glob.h"
#include "scopes/expressions/expression.h"
#include "scopes/expressions/operators.h"

namespace eventspace {

using expressions::Operator;

WalkedCondition::WalkedCondition(std::string_view condition, std::vector<Field> fields, std::string things)
    : text_(std::make_shared<const std::string>(condition)),
      fields_(std::move(fields)),
      things_(std::move(things)),
      syntax_(expressions::parse(*text_)) {
  require(*syntax_, Type::truth);
}

bool WalkedCondition::holds(const Lookup& value_of) const {
  const Value value = evaluate(*syntax_, value_of);
  return std::holds_alternative<bool>(value) && std::get<bool>(value);
}

// --- types ----------------------------------------------------------------------------------------------

void WalkedCondition::require(const Syntax& syntax, Type type) const {
  constexpr std::array names{"true or false", "a number", "text"};
  const Type found = type_of(syntax);
  if (found == type) return;
  throw ExpressionError(syntax.begin, fmt::format("'{}' is {}; expected {}", syntax.source,
                                                  names.at(static_cast<std::size_t>(found)),
                                                  names.at(static_cast<std::size_t>(type))));
}

WalkedCondition::Type WalkedCondition::type_of(const Syntax& syntax) const {
  switch (syntax.kind) {
    case Syntax::Kind::boolean:
      return Type::truth;
    case Syntax::Kind::number:
      return Type::number;
    case Syntax::Kind::duration:
      throw ExpressionError(syntax.begin, fmt::format("'{}' is a duration: {} have no field of this type",
                                                      syntax.source, things_));
    case Syntax::Kind::text:
      return Type::text;
    case Syntax::Kind::unary: {
      const Type type = syntax.op == Operator::negates ? Type::truth : Type::number;
      require(*syntax.left, type);
      return type;
    }
    case Syntax::Kind::binary:
      return type_of_binary(syntax);
    case Syntax::Kind::field:
      break;
  }
  return type_of_field(syntax);
}

WalkedCondition::Type WalkedCondition::type_of_field(const Syntax& syntax) const {
  std::vector<std::string_view> known;
  for (const Field& field : fields_) {
    const bool is_family = field.name.ends_with('*');
    const std::string_view begin = std::string_view(field.name).substr(0, field.name.size() - 1);
    if (is_family ? syntax.token.size() > begin.size() && syntax.token.starts_with(begin)
                  : syntax.token == field.name)
      return field.type;
    known.emplace_back(field.name);
  }
  throw ExpressionError(syntax.begin, registry::unknown_text("field or label", syntax.token, known));
}

WalkedCondition::Type WalkedCondition::type_of_binary(const Syntax& syntax) const {
  const bool is_logic = syntax.op == Operator::any_of || syntax.op == Operator::all_of;
  const bool is_equality = syntax.op == Operator::equal || syntax.op == Operator::unequal;
  if (syntax.op == Operator::matches) {
    require(*syntax.left, Type::text);
    if (syntax.right->kind != Syntax::Kind::text)
      throw ExpressionError(syntax.right->begin, "'matches' takes a pattern in quotes, such as 'n[1-4]'");
    if (const auto fault = glob_fault(syntax.right->text()); !fault.empty())
      throw ExpressionError(syntax.right->begin, fmt::format("pattern '{}' {}", syntax.right->text(), fault));
    return Type::truth;
  }
  const Type type = is_logic ? Type::truth : is_equality ? type_of(*syntax.left) : Type::number;
  require(*syntax.left, type);
  require(*syntax.right, type);
  return syntax.op <= Operator::at_least ? Type::truth : Type::number;
}

bool WalkedCondition::has_field(std::string_view field) const { return reads(*syntax_, field); }

bool WalkedCondition::reads(const Syntax& syntax, std::string_view field) {
  if (syntax.kind == Syntax::Kind::field) return syntax.token == field;
  return (syntax.left && reads(*syntax.left, field)) || (syntax.right && reads(*syntax.right, field));
}

// --- values ---------------------------------------------------------------------------------------------

WalkedCondition::Value WalkedCondition::evaluate(const Syntax& syntax, const Lookup& value_of) {
  switch (syntax.kind) {
    case Syntax::Kind::boolean:
      return syntax.value != 0;
    case Syntax::Kind::number:
    case Syntax::Kind::duration:
      return syntax.value;
    case Syntax::Kind::text:
      return syntax.text();
    case Syntax::Kind::field:
      return value_of(syntax.token);
    case Syntax::Kind::binary:
      return evaluate_binary(syntax, value_of);
    case Syntax::Kind::unary:
      break;
  }
  const Value operand = evaluate(*syntax.left, value_of);
  if (const bool* const truth = std::get_if<bool>(&operand)) return !*truth;
  if (const double* const number = std::get_if<double>(&operand)) return -*number;
  return {};
}

// A comparison with a missing value is false, as in expressions over events.
WalkedCondition::Value WalkedCondition::evaluate_binary(const Syntax& syntax, const Lookup& value_of) {
  const Value left = evaluate(*syntax.left, value_of);
  if (const bool* const truth = std::get_if<bool>(&left); truth != nullptr && syntax.op <= Operator::all_of) {
    const bool decides = syntax.op == Operator::any_of ? *truth : !*truth;
    return decides ? left : evaluate(*syntax.right, value_of);
  }
  const Value right = evaluate(*syntax.right, value_of);
  const bool is_missing = left.index() == 0 || right.index() == 0;
  if (syntax.op > Operator::matches) {
    if (is_missing) return {};
    const double result = expressions::calculate(syntax.op, std::get<double>(left), std::get<double>(right));
    return std::isfinite(result) ? Value(result) : Value();
  }
  if (is_missing) return false;
  if (syntax.op == Operator::matches)
    return glob_match(std::get<std::string_view>(right), std::get<std::string_view>(left));
  return expressions::compare(syntax.op, left, right);
}

}  // namespace eventspace
