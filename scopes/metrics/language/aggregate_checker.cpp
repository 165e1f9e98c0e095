// The aggregates: the part of ExpressionChecker that binds variables.

#include <fmt/format.h>

#include <algorithm>

#include "scopes/metrics/language/expression_checker.h"

namespace eventspace::metrics {
namespace {

/// Whether each value of `variable` for which the condition can hold is in a set that the condition names.
bool restricts(const Typed& condition, std::uint32_t variable) {
  if (!condition) return false;
  if (condition->kind == TypedNode::Kind::binary && condition->op == Operator::all_of)
    return restricts(condition->operands[0], variable) || restricts(condition->operands[1], variable);
  if (condition->kind != TypedNode::Kind::within) return false;
  const TypedNode& member = *condition->operands[0];
  return member.kind == TypedNode::Kind::variable && member.index == variable;
}

}  // namespace

Typed ExpressionChecker::aggregate(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::aggregate);
  if (syntax.condition) {
    made.condition = node(*syntax.condition);
    is_good = is_good && made.condition;
  }
  if (!is_good) return nullptr;
  made.aggregate = syntax.aggregate;
  if (made.condition &&
      !checked_.require(made.condition->type.is(Base::boolean), syntax.condition->begin,
                        fmt::format("{} is {}; WHERE takes true or false", shown(syntax.condition->source),
                                    described(made.condition->type))))
    return nullptr;
  const bool is_percentile = made.aggregate == Aggregate::percentile;
  if (is_percentile && !take_percentage(syntax, made)) return nullptr;
  if (made.operands.size() > 1) return combination(syntax, std::move(made));
  if (!bind_variables(syntax, made) || !is_bounded(syntax, made)) return nullptr;
  return typed_aggregate(syntax, std::move(made));
}

bool ExpressionChecker::take_percentage(const Syntax& syntax, TypedNode& made) {
  const bool is_right = made.operands.size() == 2 && made.operands[1]->kind == TypedNode::Kind::number &&
                        made.operands[1]->type.unit == no_unit && made.operands[1]->value >= 0.0 &&
                        made.operands[1]->value <= 100.0;
  if (!checked_.require(
          is_right, syntax.begin,
          "PERCENTILE takes a value and a percentage from 0 to 100: PERCENTILE(x[vt], 95 WHERE ...)"))
    return false;
  made.value = made.operands[1]->value;
  made.operands.pop_back();
  return true;
}

Typed ExpressionChecker::combination(const Syntax& syntax, TypedNode made) {
  const auto keyword = to_string(syntax.aggregate);
  if (!checked_.require(syntax.indices.empty() && !syntax.condition, syntax.begin,
                        fmt::format("{} of several values takes neither indices nor WHERE", keyword)))
    return nullptr;
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    const MetricType& type = made.operands[i]->type;
    if (!checked_.require(
            type.is(Base::value) && type.unit == made.operands[0]->type.unit, syntax.operands[i]->begin,
            fmt::format("{} is {}; {} takes values of one unit, here {}", shown(syntax.operands[i]->source),
                        described(type), keyword, described(made.operands[0]->type))))
      return nullptr;
  }
  made.kind = TypedNode::Kind::combination;
  return typed_aggregate(syntax, std::move(made));
}

/// Binds the named variables, or the variables of the condition, or, without a condition, all variables of
/// the value; never the indices of the statement.
bool ExpressionChecker::bind_variables(const Syntax& syntax, TypedNode& made) {
  if (!syntax.indices.empty()) {
    if (!bind_named(syntax, made)) return false;
  } else {
    const Typed& chooses = made.condition ? made.condition : made.operands[0];
    for (const std::uint32_t variable : chooses->free_variables) {
      const bool is_index = std::ranges::find(indices_, variable) != indices_.end();
      const bool is_expanded = std::ranges::find(expanded_, variable, &Expanded::variable) != expanded_.end();
      if (!is_index && !is_expanded) made.bound.push_back(variable);
    }
  }
  bind_expanded(made);
  return checked_.require(
      !made.bound.empty(), syntax.begin,
      fmt::format("{} has nothing to range over: {} has no free variable", to_string(syntax.aggregate),
                  syntax.condition ? "its condition" : "its value"));
}

bool ExpressionChecker::bind_named(const Syntax& syntax, TypedNode& made) {
  for (const Word& word : syntax.indices) {
    const Symbol* const symbol = names_.find(word.text);
    const bool is_free = symbol != nullptr && symbol->kind == Symbol::Kind::variable && !symbol->is_array &&
                         symbol->type.base != Base::value;
    if (!checked_.require(is_free, word.begin,
                          fmt::format("'{}' is not a free variable; {} ranges over free variables", word.text,
                                      to_string(syntax.aggregate))))
      return false;
    if (!checked_.require(std::ranges::find(made.bound, symbol->number) == made.bound.end(), word.begin,
                          fmt::format("'{}' is listed twice", word.text)))
      return false;
    made.bound.push_back(symbol->number);
  }
  return true;
}

void ExpressionChecker::bind_expanded(TypedNode& made) {
  for (const Expanded& expanded : expanded_) {
    if (!std::ranges::binary_search(made.operands[0]->free_variables, expanded.variable)) continue;
    made.bound.push_back(expanded.variable);
    made.condition = made.condition ? both(made.condition, expanded.is_member) : expanded.is_member;
  }
}

Typed ExpressionChecker::both(const Typed& left, const Typed& right) {
  TypedNode made;
  made.kind = TypedNode::Kind::binary;
  made.op = Operator::all_of;
  made.type = {Base::boolean};
  made.operands = {left, right};
  return names_.nodes().make(std::move(made));
}

bool ExpressionChecker::is_bounded(const Syntax& syntax, const TypedNode& made) {
  // With two, the evaluation would have to keep a result for each value of the unbound one.
  if (!checked_.require(
          made.operands[0]->streams.size() <= 1, syntax.operands[0]->begin,
          fmt::format("{} depends on {} virtual times; an aggregate takes a value that depends on one",
                      shown(syntax.operands[0]->source), made.operands[0]->streams.size())))
    return false;
  for (const std::uint32_t variable : made.bound) {
    const Parameter& declared = names_.variables()[variable];
    const bool is_step = declared.type.base == Base::virtual_time;
    const auto& streams = made.operands[0]->streams;
    if (!checked_.require(
            !is_step || std::ranges::find(streams, variable) != streams.end(), syntax.begin,
            fmt::format("'{0}' is not bound, because the value does not depend on it; expected VALUE AT "
                        "PROBE(..., {0}), or a metric of {0}",
                        declared.name)))
      return false;
    if (!checked_.require(declared.type.base != Base::region || restricts(made.condition, variable),
                          syntax.begin,
                          fmt::format("'{0}' is not bound; expected WHERE {0} IN the regions of a parameter",
                                      declared.name)))
      return false;
  }
  return true;
}

Typed ExpressionChecker::typed_aggregate(const Syntax& syntax, TypedNode made) {
  const MetricType& type = made.operands[0]->type;
  const auto keyword = to_string(syntax.aggregate);
  const bool takes_all = made.aggregate == Aggregate::count || made.aggregate == Aggregate::unique;
  const auto found = fmt::format("{} is {}", shown(syntax.operands[0]->source), described(type));
  if (!checked_.require(
          type.dimensions == 0 && (takes_all || type.base == Base::value), syntax.operands[0]->begin,
          fmt::format("{}; {} takes {}", found, keyword, takes_all ? "one at a time" : "a value")) ||
      !checked_.require(made.aggregate != Aggregate::product || type.unit == no_unit,
                        syntax.operands[0]->begin,
                        fmt::format("{}; PROD takes values without a unit", found)))
    return nullptr;
  made.type = made.aggregate == Aggregate::count ? MetricType{Base::value} : type;
  return checked_.finished(std::move(made), syntax.begin);
}

}  // namespace eventspace::metrics
