#include "scopes/metrics/language/expression_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/keywords.h"

namespace eventspace::metrics {
namespace {

// Deeper nesting through variables is refused, so that recursive functions are safe.
constexpr int deepest_graph = 1000;

std::string described(const Typed& node, const Syntax& syntax) {
  return fmt::format("{} is {}", shown(syntax.source), described(node->type));
}

struct AttributeRule {
  Attribute attribute;
  Base of;
  MetricType type;
};

constexpr MetricType plain(Base base) { return {base, 0, no_unit}; }

constexpr std::array<AttributeRule, 17> attribute_rules{
    {{Attribute::rank, Base::process, plain(Base::value)},
     {Attribute::name, Base::process, plain(Base::text)},
     {Attribute::node, Base::process, plain(Base::node)},
     {Attribute::site, Base::process, plain(Base::site)},
     {Attribute::name, Base::thread, plain(Base::text)},
     {Attribute::process, Base::thread, plain(Base::process)},
     {Attribute::node, Base::thread, plain(Base::node)},
     {Attribute::site, Base::thread, plain(Base::site)},
     {Attribute::name, Base::node, plain(Base::text)},
     {Attribute::site, Base::node, plain(Base::site)},
     {Attribute::name, Base::site, plain(Base::text)},
     {Attribute::name, Base::region, plain(Base::text)},
     {Attribute::time, Base::value, plain(Base::time_point)},
     {Attribute::begin, Base::time_interval, plain(Base::time_point)},
     {Attribute::end, Base::time_interval, plain(Base::time_point)},
     {Attribute::length, Base::time_interval, {Base::value, 0, second}},
     {Attribute::rank, Base::thread, plain(Base::value)}}};

Unit unit_of(Syntax::Kind constant) noexcept {
  if (constant == Syntax::Kind::duration) return second;
  return constant == Syntax::Kind::bytes ? byte : no_unit;
}

bool is_ordered(Base base) noexcept {
  return base == Base::value || base == Base::virtual_time || base == Base::time_point;
}

}  // namespace

std::string shown(std::string_view source) {
  constexpr std::size_t most = 40;
  const auto line = source.substr(0, source.find('\n'));
  if (line.size() > most || line.size() < source.size()) return fmt::format("'{}...'", line.substr(0, most));
  return fmt::format("'{}'", line);
}

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
    return fail(syntax.begin, text);
  }
  if (whole->streams.size() > 1)
    return fail(syntax.begin, fmt::format("{} depends on {} virtual times; at most one is allowed",
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
    case Syntax::Kind::attribute:
      return attribute(syntax);
    case Syntax::Kind::call:
      return call(syntax);
    case Syntax::Kind::interval:
      return interval(syntax);
    case Syntax::Kind::unary:
      return unary(syntax);
    case Syntax::Kind::binary:
      return binary(syntax);
    case Syntax::Kind::within:
      return within(syntax);
    case Syntax::Kind::at:
      return at(syntax);
    case Syntax::Kind::aggregate:
      return aggregate(syntax);
    case Syntax::Kind::rate:
      return rate(syntax);
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
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::name(const Syntax& syntax) {
  if (moment_named(syntax.name.text)) return moment(syntax);
  const auto bound = probe_values_.find(syntax.name.text);
  if (bound != probe_values_.end()) {
    TypedNode made;
    made.kind = TypedNode::Kind::probe_value;
    made.index = bound->second;
    return finished(std::move(made), syntax.begin);
  }
  const Symbol* const symbol = names_.find(syntax.name.text);
  return symbol == nullptr ? unknown_name(syntax) : value_of(syntax, *symbol);
}

Typed ExpressionChecker::moment(const Syntax& syntax) {
  TypedNode made;
  made.kind = TypedNode::Kind::moment;
  made.type = {Base::time_point};
  made.moment = *moment_named(syntax.name.text);
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::value_of(const Syntax& syntax, const Symbol& symbol) {
  const auto& name = syntax.name.text;
  if (symbol.kind == Symbol::Kind::definition) {
    if (symbol.indices.empty()) return symbol.value;  // null if its definition has a fault
    return fail(syntax.begin, fmt::format("'{0}' is indexed; expected '{0}[...]'", name));
  }
  if (symbol.is_array && symbol.kind == Symbol::Kind::variable)
    return fail(syntax.begin, fmt::format("'{0}' has no value yet; assign '{0}[...] = ...' first", name));
  if (symbol.kind == Symbol::Kind::variable && symbol.type.base == Base::value)
    return fail(syntax.begin,
                fmt::format("'{}' has no value yet; assign one first, or bind it to a value of a probe with "
                            "AT PROBE(process, time, {})",
                            name, name));
  if (symbol.kind == Symbol::Kind::variable) return names_.variable_node(symbol.number);
  TypedNode made;
  made.kind = TypedNode::Kind::parameter;
  made.type = symbol.type;
  made.index = symbol.number;
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::unknown_name(const Syntax& syntax) {
  const auto& name = syntax.name.text;
  std::uint32_t number = 0;
  if (metrics_.find(name, number) != nullptr || built_in_metric_named(name))
    return fail(syntax.begin, fmt::format("'{0}' is a metric; expected its parameters: '{0}(...)'", name));
  if (std::ranges::find(probes_, name, &Probe::name) != probes_.end())
    return fail(syntax.begin,
                fmt::format("'{0}' is a probe; expected 'VALUE AT {0}(process, virtual time)'", name));
  const auto known = names_.names();
  return fail(syntax.begin, fmt::format("unknown variable '{}'{}", name, hint(name, known)));
}

Typed ExpressionChecker::index(const Syntax& syntax) {
  const auto& name = syntax.name.text;
  const Symbol* const symbol = names_.find(name);
  if (symbol == nullptr) return unknown_name(*syntax.operands[0]);
  if (symbol->kind == Symbol::Kind::parameter)
    return fail(
        syntax.begin,
        fmt::format("the parameter '{}' cannot be indexed; choose from it with WHERE x IN {}", name, name));
  if (symbol->kind == Symbol::Kind::variable) return value_of(*syntax.operands[0], *symbol);
  if (symbol->indices.size() != syntax.operands.size() - 1)
    return fail(syntax.begin, fmt::format("'{}' has {} indices, found {}", name, symbol->indices.size(),
                                          syntax.operands.size() - 1));
  const std::vector<std::uint32_t> variables = symbol->indices;
  const Typed definition = symbol->value;
  std::vector<Typed> values;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Syntax& given = *syntax.operands[i + 1];
    Typed value = node(given);
    if (!value) return nullptr;
    const MetricType& wanted = names_.variables()[variables[i]].type;
    if (!value->type.is(wanted.base))
      return fail(given.begin,
                  fmt::format("{}; '{}' is indexed by {}", described(value, given), name, described(wanted)));
    values.push_back(std::move(value));
  }
  return definition ? names_.substitute(definition, variables, values) : nullptr;
}

Typed ExpressionChecker::attribute(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::attribute);
  if (!is_good) return nullptr;
  const MetricType& type = made.operands[0]->type;
  std::vector<std::string_view> known;
  for (const AttributeRule& rule : attribute_rules) {
    if (!type.is(rule.of)) continue;
    known.push_back(to_string(rule.attribute));
    if (known.back() != syntax.name.text) continue;
    made.attribute = rule.attribute;
    made.type = rule.type;
    return finished(std::move(made), syntax.begin);
  }
  const auto found = described(made.operands[0], *syntax.operands[0]);
  if (known.empty()) return fail(syntax.name.begin, fmt::format("{}, which has no attributes", found));
  return fail(syntax.name.begin, fmt::format("{}, which has no attribute '{}'{}", found, syntax.name.text,
                                             hint(syntax.name.text, known)));
}

Typed ExpressionChecker::interval(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::interval);
  if (!is_good) return nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!require(made.operands[i]->type.is(Base::time_point), syntax.operands[i]->begin,
                 fmt::format("{}; an interval is between points of time, such as [START, NOW]",
                             described(made.operands[i], *syntax.operands[i]))))
      return nullptr;
  }
  made.type = {Base::time_interval};
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::unary(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::unary);
  if (!is_good) return nullptr;
  const Base wanted = syntax.op == Operator::negates ? Base::boolean : Base::value;
  const auto text = described(made.operands[0], *syntax.operands[0]);
  if (!require(made.operands[0]->type.is(wanted), syntax.operands[0]->begin,
               fmt::format("{}: {}", text,
                           wanted == Base::boolean ? "NOT takes true or false" : "'-' takes a value")))
    return nullptr;
  made.op = syntax.op;
  made.type = made.operands[0]->type;
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::binary(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::binary);
  if (!is_good) return nullptr;
  made.op = syntax.op;
  if (syntax.op <= Operator::all_of) return logic(syntax, std::move(made));
  if (syntax.op == Operator::matches) return pattern(syntax, std::move(made));
  if (syntax.op < Operator::matches) return comparison(syntax, std::move(made));
  return arithmetic(syntax, std::move(made));
}

Typed ExpressionChecker::logic(const Syntax& syntax, TypedNode made) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!require(made.operands[i]->type.is(Base::boolean), syntax.operands[i]->begin,
                 fmt::format("{}: {} takes true or false", described(made.operands[i], *syntax.operands[i]),
                             syntax.name.text)))
      return nullptr;
  }
  made.type = {Base::boolean};
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::comparison(const Syntax& syntax, TypedNode made) {
  const MetricType& left = made.operands[0]->type;
  const MetricType& right = made.operands[1]->type;
  const bool compares_steps = left.is(Base::virtual_time) && right.is(Base::value) && right.unit == no_unit;
  const bool is_alike =
      left.dimensions == 0 && right.dimensions == 0 && left.base == right.base && left.unit == right.unit;
  const bool orders = syntax.op != Operator::equal && syntax.op != Operator::unequal;
  const auto both = fmt::format("{} and {}", described(made.operands[0], *syntax.operands[0]),
                                described(made.operands[1], *syntax.operands[1]));
  if (!require(is_alike || compares_steps, syntax.name.begin,
               fmt::format("{}: '{}' compares values of one type and unit", both, syntax.name.text)) ||
      !require(
          !orders || is_ordered(left.base), syntax.name.begin,
          fmt::format("{}: '{}' compares values, points of time and virtual times", both, syntax.name.text)))
    return nullptr;
  made.type = {Base::boolean};
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::pattern(const Syntax& syntax, TypedNode made) {
  const auto text = described(made.operands[0], *syntax.operands[0]);
  if (!require(made.operands[0]->type.is(Base::text), syntax.operands[0]->begin,
               text + ": MATCHES takes a text, such as p.name") ||
      !require(made.operands[1]->kind == TypedNode::Kind::text, syntax.operands[1]->begin,
               fmt::format("found {}; expected a pattern in quotes after MATCHES",
                           shown(syntax.operands[1]->source))))
    return nullptr;
  const auto fault = glob_fault(made.operands[1]->text);
  if (!require(fault.empty(), syntax.operands[1]->begin,
               fmt::format("the pattern '{}' {}", made.operands[1]->text, fault)))
    return nullptr;
  made.type = {Base::boolean};
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::arithmetic(const Syntax& syntax, TypedNode made) {
  const MetricType& left = made.operands[0]->type;
  const MetricType& right = made.operands[1]->type;
  if (left.is(Base::virtual_time)) return shifted(syntax, made);
  const auto both = fmt::format("{} and {}", described(made.operands[0], *syntax.operands[0]),
                                described(made.operands[1], *syntax.operands[1]));
  if (syntax.op == Operator::minus && left.is(Base::time_point) && right.is(Base::time_point)) {
    made.type = {Base::value, 0, second};
    return finished(std::move(made), syntax.begin);
  }
  if (!require(left.is(Base::value) && right.is(Base::value), syntax.name.begin,
               fmt::format("{}: '{}' takes values", both, syntax.name.text)))
    return nullptr;
  const bool scales = syntax.op == Operator::times || syntax.op == Operator::divided;
  if (!require(scales || left.unit == right.unit, syntax.name.begin,
               fmt::format("{}: '{}' takes values of one unit", both, syntax.name.text)))
    return nullptr;
  std::optional<Unit> unit = left.unit;
  if (syntax.op == Operator::times) unit = times(left.unit, right.unit);
  if (syntax.op == Operator::divided) unit = divided(left.unit, right.unit);
  if (!require(unit.has_value(), syntax.name.begin,
               fmt::format("{}: the power of the unit is too high", both)))
    return nullptr;
  made.type = {Base::value, 0, *unit};
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::shifted(const Syntax& syntax, const TypedNode& made) {
  constexpr double most = 1e6;
  const TypedNode& by = *made.operands[1];
  const bool is_step = by.kind == TypedNode::Kind::number && by.type.unit == no_unit &&
                       std::trunc(by.value) == by.value && by.value <= most;
  const bool adds = syntax.op == Operator::plus || syntax.op == Operator::minus;
  if (!require(
          is_step && adds, syntax.name.begin,
          fmt::format("{} is a virtual time: it can be shifted by a whole number of at most {:.0f}, such "
                      "as '{} - 1'",
                      shown(syntax.operands[0]->source), most, syntax.operands[0]->source)))
    return nullptr;
  TypedNode shifted;
  shifted.kind = TypedNode::Kind::shifted;
  shifted.type = {Base::virtual_time};
  shifted.shift = static_cast<std::int32_t>(syntax.op == Operator::plus ? by.value : -by.value);
  shifted.operands = {made.operands[0]};
  return finished(std::move(shifted), syntax.begin);
}

Typed ExpressionChecker::within(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::within);
  if (!is_good) return nullptr;
  const MetricType& one = made.operands[0]->type;
  const MetricType& all = made.operands[1]->type;
  const bool is_member =
      one.dimensions == 0 && all.dimensions == 1 && one.base == all.base && is_object_or_region(one.base);
  const bool is_moment = one.is(Base::time_point) && all.is(Base::time_interval);
  if (!require(is_member || is_moment, syntax.begin,
               fmt::format("{} and {}: IN takes an object and several of its type, or a point of time and an "
                           "interval",
                           described(made.operands[0], *syntax.operands[0]),
                           described(made.operands[1], *syntax.operands[1]))))
    return nullptr;
  made.type = {Base::boolean};
  return finished(std::move(made), syntax.begin);
}

Typed ExpressionChecker::rate(const Syntax& syntax) {
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::rate);
  if (!is_good) return nullptr;
  const auto unit = divided(made.operands[0]->type.unit, second);
  if (!require(made.operands[0]->type.is(Base::value) && unit, syntax.operands[0]->begin,
               fmt::format("{}: RATE takes a value", described(made.operands[0], *syntax.operands[0]))))
    return nullptr;
  made.type = {Base::value, 0, *unit};
  return finished(std::move(made), syntax.begin);
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

Typed ExpressionChecker::finished(TypedNode node, std::size_t begin) {
  if (!require(!names_.nodes().is_full(), begin,
               fmt::format("the metric has more than {} parts; divide it", NodeTable::max_nodes)))
    return nullptr;
  node.begin = begin;
  Typed made = names_.nodes().make(std::move(node));
  if (!require(made->depth <= deepest_graph, begin,
               fmt::format("nested deeper than {} levels through its variables", deepest_graph)))
    return nullptr;
  return made;
}

bool ExpressionChecker::require(bool holds, std::size_t offset, std::string text) {
  if (!holds) fail(offset, std::move(text));
  return holds;
}

Typed ExpressionChecker::fail(std::size_t offset, std::string text) {
  faults_.push_back({offset, std::move(text)});
  return nullptr;
}

}  // namespace eventspace::metrics
