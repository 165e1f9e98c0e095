#include "scopes/streams/members/end_point_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "paths/parameters/glob.h"
#include "paths/parameters/registry.h"
#include "scopes/expressions/expression.h"
#include "scopes/expressions/operators.h"

namespace eventspace::streams {

using expressions::Operator;
using expressions::Syntax;

namespace {

constexpr std::array<std::string_view, 5> fields{"rank", "process", "host", "level", "internal"};

[[noreturn]] void fail(std::size_t at, const std::string& text) { throw ExpressionError(at, text); }

}  // namespace

bool EndPointCondition::is_field(std::string_view name) noexcept {
  return std::ranges::find(fields, name) != fields.end();
}

EndPointCondition::EndPointCondition(const Syntax& syntax, std::span<const std::string_view> labels)
    : syntax_(&syntax), labels_(labels.begin(), labels.end()) {
  require(syntax, Type::truth);
}

bool EndPointCondition::holds(const EndPoints::EndPoint& end_point) const {
  const Value value = value_of(*syntax_, end_point);
  return std::holds_alternative<bool>(value) && std::get<bool>(value);
}

// --- types ----------------------------------------------------------------------------------------------

void EndPointCondition::require(const Syntax& syntax, Type type) const {
  constexpr std::array names{"true or false", "a number", "text"};
  const Type found = type_of(syntax);
  if (found == type) return;
  fail(syntax.begin,
       fmt::format("'{}' is {}; expected {}", syntax.source, names.at(static_cast<std::size_t>(found)),
                   names.at(static_cast<std::size_t>(type))));
}

EndPointCondition::Type EndPointCondition::type_of(const Syntax& syntax) const {
  switch (syntax.kind) {
    case Syntax::Kind::boolean:
      return Type::truth;
    case Syntax::Kind::number:
      return Type::number;
    case Syntax::Kind::duration:
      fail(syntax.begin,
           fmt::format("'{}' is a duration: end-points have no field of this type", syntax.source));
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
  if (syntax.token == "internal") return Type::truth;
  if (syntax.token == "host" || std::ranges::find(labels_, syntax.token) != labels_.end()) return Type::text;
  if (is_field(syntax.token)) return Type::number;
  std::vector<std::string_view> known(fields.begin(), fields.end());
  known.insert(known.end(), labels_.begin(), labels_.end());
  fail(syntax.begin, registry::unknown_text("field or label", syntax.token, known));
}

EndPointCondition::Type EndPointCondition::type_of_binary(const Syntax& syntax) const {
  const bool is_logic = syntax.op == Operator::any_of || syntax.op == Operator::all_of;
  const bool is_equality = syntax.op == Operator::equal || syntax.op == Operator::unequal;
  if (syntax.op == Operator::matches) {
    require(*syntax.left, Type::text);
    if (syntax.right->kind != Syntax::Kind::text)
      fail(syntax.right->begin, "'matches' takes a pattern in quotes, such as 'n[1-4]'");
    if (const auto fault = glob_fault(syntax.right->text()); !fault.empty())
      fail(syntax.right->begin, fmt::format("pattern '{}' {}", syntax.right->text(), fault));
    return Type::truth;
  }
  const Type type = is_logic ? Type::truth : is_equality ? type_of(*syntax.left) : Type::number;
  require(*syntax.left, type);
  require(*syntax.right, type);
  return syntax.op <= Operator::at_least ? Type::truth : Type::number;
}

// --- values ---------------------------------------------------------------------------------------------

EndPointCondition::Value EndPointCondition::value_of_field(std::string_view field,
                                                           const EndPoints::EndPoint& one) {
  if (field == "internal") return one.is_internal;
  if (field == "host") return std::string_view(one.process->host);
  if (field == "level") return static_cast<double>(one.level);
  if (field == "process") return static_cast<double>(one.number);
  if (field == "rank") return one.is_internal ? Value() : Value(static_cast<double>(one.process->rank));
  const auto label = one.labels.find(field);
  return label == one.labels.end() ? Value() : Value(std::string_view(label->second));
}

EndPointCondition::Value EndPointCondition::value_of(const Syntax& syntax, const EndPoints::EndPoint& one) {
  switch (syntax.kind) {
    case Syntax::Kind::boolean:
      return syntax.value != 0;
    case Syntax::Kind::number:
    case Syntax::Kind::duration:
      return syntax.value;
    case Syntax::Kind::text:
      return syntax.text();
    case Syntax::Kind::field:
      return value_of_field(syntax.token, one);
    case Syntax::Kind::binary:
      return value_of_binary(syntax, one);
    case Syntax::Kind::unary:
      break;
  }
  const Value operand = value_of(*syntax.left, one);
  if (const bool* const truth = std::get_if<bool>(&operand)) return !*truth;
  if (const double* const number = std::get_if<double>(&operand)) return -*number;
  return {};
}

// A comparison with a missing value is false, as in expressions over events.
EndPointCondition::Value EndPointCondition::value_of_binary(const Syntax& syntax,
                                                            const EndPoints::EndPoint& one) {
  const Value left = value_of(*syntax.left, one);
  if (const bool* const truth = std::get_if<bool>(&left); truth != nullptr && syntax.op <= Operator::all_of) {
    const bool decides = syntax.op == Operator::any_of ? *truth : !*truth;
    return decides ? left : value_of(*syntax.right, one);
  }
  const Value right = value_of(*syntax.right, one);
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

}  // namespace eventspace::streams
