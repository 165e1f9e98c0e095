#include "scopes/metrics/language/expression_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "paths/parameters/nearest.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/keywords.h"

namespace eventspace::metrics {
namespace {

Unit unit_of(Syntax::Kind constant) noexcept {
  if (constant == Syntax::Kind::duration) return second;
  return constant == Syntax::Kind::bytes ? byte : no_unit;
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const auto near = nearest(word, candidates);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

Typed ExpressionChecker::value(const Syntax& syntax, std::vector<std::uint32_t> indices) {
  indices_ = std::move(indices);
  expanded_.clear();
  Typed whole = node(syntax);
  if (!whole) return nullptr;
  for (const std::uint32_t variable : whole->free_variables) {
    if (std::ranges::find(indices_, variable) != indices_.end()) continue;
    const std::string& free = names_.variables()[variable].name;
    const bool is_expanded = std::ranges::find(expanded_, variable, &Expanded::variable) != expanded_.end();
    const auto text =
        is_expanded
            ? fmt::format("'{}' is an array; put an aggregate such as SUM(...) around the value", free)
            : fmt::format(
                  "'{0}' has no value here: index the result with it ('NAME[{0}] = ...'), or "
                  "aggregate over it ('SUM[{0}](...)')",
                  free);
    return checked_.fail(syntax.begin, text);
  }
  if (whole->streams.size() > 1)
    return checked_.fail(syntax.begin, fmt::format("{} depends on {} virtual times; at most one is allowed",
                                                   shown(syntax.source), whole->streams.size()));
  return whole;
}

Typed ExpressionChecker::node(const Syntax& syntax) {
  switch (syntax.kind) {
    case Syntax::Kind::number:
    case Syntax::Kind::duration:
    case Syntax::Kind::bytes:
    case Syntax::Kind::text:
      return constant(syntax);
    case Syntax::Kind::name:
      return name(syntax);
    case Syntax::Kind::index:
      return index(syntax);
    case Syntax::Kind::call:
      return call(syntax);
    case Syntax::Kind::at:
      return at(syntax);
    case Syntax::Kind::aggregate:
      return aggregate(syntax);
    case Syntax::Kind::attribute:
    case Syntax::Kind::interval:
    case Syntax::Kind::unary:
    case Syntax::Kind::binary:
    case Syntax::Kind::within:
    case Syntax::Kind::rate:
      return operation(syntax);
  }
  return nullptr;
}

Typed ExpressionChecker::constant(const Syntax& syntax) {
  TypedNode made;
  const bool is_text = syntax.kind == Syntax::Kind::text;
  made.kind = is_text ? TypedNode::Kind::text : TypedNode::Kind::number;
  made.type = {is_text ? Base::text : Base::value, 0, unit_of(syntax.kind)};
  made.value = syntax.value;
  made.text = is_text ? syntax.name.text : std::string_view{};
  return checked_.finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::name(const Syntax& syntax) {
  if (moment_named(syntax.name.text)) return moment(syntax);
  const auto bound = probe_values_.find(syntax.name.text);
  if (bound != probe_values_.end()) {
    TypedNode made;
    made.kind = TypedNode::Kind::probe_value;
    made.index = bound->second;
    return checked_.finished(std::move(made), syntax.begin);
  }
  const Symbol* const symbol = names_.find(syntax.name.text);
  return symbol == nullptr ? unknown_name(syntax) : value_of(syntax, *symbol);
}

Typed ExpressionChecker::moment(const Syntax& syntax) {
  TypedNode made;
  made.kind = TypedNode::Kind::moment;
  made.type = {Base::time_point};
  made.moment = *moment_named(syntax.name.text);
  return checked_.finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::value_of(const Syntax& syntax, const Symbol& symbol) {
  const auto& name = syntax.name.text;
  if (symbol.kind == Symbol::Kind::definition) {
    if (symbol.indices.empty()) return symbol.value;  // null if its definition has a fault
    return checked_.fail(syntax.begin, fmt::format("'{0}' is indexed; expected '{0}[...]'", name));
  }
  if (symbol.is_array && symbol.kind == Symbol::Kind::variable)
    return checked_.fail(syntax.begin,
                         fmt::format("'{0}' has no value yet; assign '{0}[...] = ...' first", name));
  if (symbol.kind == Symbol::Kind::variable && symbol.type.base == Base::value)
    return checked_.fail(
        syntax.begin,
        fmt::format("'{}' has no value yet; assign one first, or bind it to a value of a probe with "
                    "AT PROBE(process, time, {})",
                    name, name));
  if (symbol.kind == Symbol::Kind::variable) return names_.variable_node(symbol.number);
  TypedNode made;
  made.kind = TypedNode::Kind::parameter;
  made.type = symbol.type;
  made.index = symbol.number;
  return checked_.finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::unknown_name(const Syntax& syntax) {
  const auto& name = syntax.name.text;
  std::uint32_t number = 0;
  if (metrics_.find(name, number) != nullptr || built_in_metric_named(name))
    return checked_.fail(syntax.begin,
                         fmt::format("'{0}' is a metric; expected its parameters: '{0}(...)'", name));
  if (std::ranges::find(probes_, name, &Probe::name) != probes_.end())
    return checked_.fail(
        syntax.begin, fmt::format("'{0}' is a probe; expected 'VALUE AT {0}(process, virtual time)'", name));
  const auto known = names_.names();
  return checked_.fail(syntax.begin, fmt::format("unknown variable '{}'{}", name, hint(name, known)));
}

Typed ExpressionChecker::index(const Syntax& syntax) {
  const auto& name = syntax.name.text;
  const Symbol* const symbol = names_.find(name);
  if (symbol == nullptr) return unknown_name(*syntax.operands[0]);
  if (symbol->kind == Symbol::Kind::parameter)
    return checked_.fail(
        syntax.begin,
        fmt::format("the parameter '{}' cannot be indexed; choose from it with WHERE x IN {}", name, name));
  if (symbol->kind == Symbol::Kind::variable) return value_of(*syntax.operands[0], *symbol);
  if (symbol->indices.size() != syntax.operands.size() - 1)
    return checked_.fail(syntax.begin, fmt::format("'{}' has {} indices, found {}", name,
                                                   symbol->indices.size(), syntax.operands.size() - 1));
  const std::vector<std::uint32_t> variables = symbol->indices;
  const Typed definition = symbol->value;
  std::vector<Typed> values;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Syntax& given = *syntax.operands[i + 1];
    Typed value = node(given);
    if (!value) return nullptr;
    const MetricType& wanted = names_.variables()[variables[i]].type;
    if (!value->type.is(wanted.base))
      return checked_.fail(given.begin, fmt::format("{}; '{}' is indexed by {}", described(value, given),
                                                    name, described(wanted)));
    values.push_back(std::move(value));
  }
  return definition ? names_.substitute(definition, variables, values) : nullptr;
}

Typed ExpressionChecker::operation(const Syntax& syntax) {
  auto [operands, is_good] = with_operands(syntax, TypedNode::Kind::binary);
  return is_good ? operators_.of(syntax, std::move(operands)) : nullptr;
}

std::pair<TypedNode, bool> ExpressionChecker::with_operands(const Syntax& syntax, TypedNode::Kind kind) {
  TypedNode made;
  made.kind = kind;
  bool is_good = true;
  for (const auto& operand : syntax.operands) {
    made.operands.push_back(node(*operand));
    is_good = is_good && made.operands.back();
  }
  return {std::move(made), is_good};
}

}  // namespace eventspace::metrics
