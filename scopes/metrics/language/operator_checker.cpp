#include "scopes/metrics/language/operator_checker.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"
#include "scopes/metrics/language/keywords.h"

namespace eventspace::metrics {
namespace {

// Deeper nesting through variables is refused, so that recursive functions are safe.
constexpr int deepest_graph = 1000;

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

std::string described(const Typed& node, const Syntax& syntax) {
  return fmt::format("{} is {}", shown(syntax.source), described(node->type));
}

Typed CheckedNodes::finished(TypedNode node, std::size_t begin) {
  if (!require(!nodes_.is_full(), begin,
               fmt::format("the metric has more than {} parts; divide it", NodeTable::max_nodes)))
    return nullptr;
  node.begin = begin;
  Typed made = nodes_.make(std::move(node));
  if (!require(made->depth <= deepest_graph, begin,
               fmt::format("nested deeper than {} levels through its variables", deepest_graph)))
    return nullptr;
  return made;
}

bool CheckedNodes::require(bool holds, std::size_t offset, std::string text) {
  if (!holds) fail(offset, std::move(text));
  return holds;
}

Typed CheckedNodes::fail(std::size_t offset, std::string text) {
  faults_.push_back({offset, std::move(text)});
  return nullptr;
}

Typed OperatorChecker::of(const Syntax& syntax, TypedNode operands) {
  switch (syntax.kind) {
    case Syntax::Kind::attribute:
      return attribute(syntax, std::move(operands));
    case Syntax::Kind::interval:
      return interval(syntax, std::move(operands));
    case Syntax::Kind::unary:
      return unary(syntax, std::move(operands));
    case Syntax::Kind::binary:
      return binary(syntax, std::move(operands));
    case Syntax::Kind::within:
      return within(syntax, std::move(operands));
    case Syntax::Kind::rate:
      return rate(syntax, std::move(operands));
    default:
      return nullptr;  // not an operator
  }
}

Typed OperatorChecker::attribute(const Syntax& syntax, TypedNode made) {
  made.kind = TypedNode::Kind::attribute;
  const MetricType& type = made.operands[0]->type;
  std::vector<std::string_view> known;
  for (const AttributeRule& rule : attribute_rules) {
    if (!type.is(rule.of)) continue;
    known.push_back(to_string(rule.attribute));
    if (known.back() != syntax.name.text) continue;
    made.attribute = rule.attribute;
    made.type = rule.type;
    return checked_.finished(std::move(made), syntax.begin);
  }
  const auto found = described(made.operands[0], *syntax.operands[0]);
  if (known.empty())
    return checked_.fail(syntax.name.begin, fmt::format("{}, which has no attributes", found));
  return checked_.fail(syntax.name.begin, fmt::format("{}, which has no attribute '{}'{}", found,
                                                      syntax.name.text, hint(syntax.name.text, known)));
}

Typed OperatorChecker::interval(const Syntax& syntax, TypedNode made) {
  made.kind = TypedNode::Kind::interval;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!checked_.require(made.operands[i]->type.is(Base::time_point), syntax.operands[i]->begin,
                          fmt::format("{}; an interval is between points of time, such as [START, NOW]",
                                      described(made.operands[i], *syntax.operands[i]))))
      return nullptr;
  }
  made.type = {Base::time_interval};
  return checked_.finished(std::move(made), syntax.begin);
}

Typed OperatorChecker::unary(const Syntax& syntax, TypedNode made) {
  made.kind = TypedNode::Kind::unary;
  const Base wanted = syntax.op == Operator::negates ? Base::boolean : Base::value;
  const auto text = described(made.operands[0], *syntax.operands[0]);
  if (!checked_.require(
          made.operands[0]->type.is(wanted), syntax.operands[0]->begin,
          fmt::format("{}: {}", text,
                      wanted == Base::boolean ? "NOT takes true or false" : "'-' takes a value")))
    return nullptr;
  made.op = syntax.op;
  made.type = made.operands[0]->type;
  return checked_.finished(std::move(made), syntax.begin);
}

Typed OperatorChecker::binary(const Syntax& syntax, TypedNode made) {
  made.kind = TypedNode::Kind::binary;
  made.op = syntax.op;
  if (syntax.op <= Operator::all_of) return logic(syntax, std::move(made));
  if (syntax.op == Operator::matches) return pattern(syntax, std::move(made));
  if (syntax.op < Operator::matches) return comparison(syntax, std::move(made));
  return arithmetic(syntax, std::move(made));
}

Typed OperatorChecker::truth(const Syntax& syntax, TypedNode made) {
  made.type = {Base::boolean};
  return checked_.finished(std::move(made), syntax.begin);
}

Typed OperatorChecker::logic(const Syntax& syntax, TypedNode made) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!checked_.require(made.operands[i]->type.is(Base::boolean), syntax.operands[i]->begin,
                          fmt::format("{}: {} takes true or false",
                                      described(made.operands[i], *syntax.operands[i]), syntax.name.text)))
      return nullptr;
  }
  return truth(syntax, std::move(made));
}

Typed OperatorChecker::comparison(const Syntax& syntax, TypedNode made) {
  const MetricType& left = made.operands[0]->type;
  const MetricType& right = made.operands[1]->type;
  const bool compares_steps = left.is(Base::virtual_time) && right.is(Base::value) && right.unit == no_unit;
  const bool is_alike =
      left.dimensions == 0 && right.dimensions == 0 && left.base == right.base && left.unit == right.unit;
  const bool orders = syntax.op != Operator::equal && syntax.op != Operator::unequal;
  const auto both = fmt::format("{} and {}", described(made.operands[0], *syntax.operands[0]),
                                described(made.operands[1], *syntax.operands[1]));
  if (!checked_.require(
          is_alike || compares_steps, syntax.name.begin,
          fmt::format("{}: '{}' compares values of one type and unit", both, syntax.name.text)) ||
      !checked_.require(
          !orders || is_ordered(left.base), syntax.name.begin,
          fmt::format("{}: '{}' compares values, points of time and virtual times", both, syntax.name.text)))
    return nullptr;
  return truth(syntax, std::move(made));
}

Typed OperatorChecker::pattern(const Syntax& syntax, TypedNode made) {
  const auto text = described(made.operands[0], *syntax.operands[0]);
  if (!checked_.require(made.operands[0]->type.is(Base::text), syntax.operands[0]->begin,
                        text + ": MATCHES takes a text, such as p.name") ||
      !checked_.require(made.operands[1]->kind == TypedNode::Kind::text, syntax.operands[1]->begin,
                        fmt::format("found {}; expected a pattern in quotes after MATCHES",
                                    shown(syntax.operands[1]->source))))
    return nullptr;
  const auto fault = glob_fault(made.operands[1]->text);
  if (!checked_.require(fault.empty(), syntax.operands[1]->begin,
                        fmt::format("the pattern '{}' {}", made.operands[1]->text, fault)))
    return nullptr;
  return truth(syntax, std::move(made));
}

Typed OperatorChecker::arithmetic(const Syntax& syntax, TypedNode made) {
  const MetricType& left = made.operands[0]->type;
  const MetricType& right = made.operands[1]->type;
  if (left.is(Base::virtual_time)) return shifted(syntax, made);
  const auto both = fmt::format("{} and {}", described(made.operands[0], *syntax.operands[0]),
                                described(made.operands[1], *syntax.operands[1]));
  if (syntax.op == Operator::minus && left.is(Base::time_point) && right.is(Base::time_point)) {
    made.type = {Base::value, 0, second};
    return checked_.finished(std::move(made), syntax.begin);
  }
  if (!checked_.require(left.is(Base::value) && right.is(Base::value), syntax.name.begin,
                        fmt::format("{}: '{}' takes values", both, syntax.name.text)))
    return nullptr;
  const bool scales = syntax.op == Operator::times || syntax.op == Operator::divided;
  if (!checked_.require(scales || left.unit == right.unit, syntax.name.begin,
                        fmt::format("{}: '{}' takes values of one unit", both, syntax.name.text)))
    return nullptr;
  std::optional<Unit> unit = left.unit;
  if (syntax.op == Operator::times) unit = times(left.unit, right.unit);
  if (syntax.op == Operator::divided) unit = divided(left.unit, right.unit);
  if (!checked_.require(unit.has_value(), syntax.name.begin,
                        fmt::format("{}: the power of the unit is too high", both)))
    return nullptr;
  made.type = {Base::value, 0, *unit};
  return checked_.finished(std::move(made), syntax.begin);
}

Typed OperatorChecker::shifted(const Syntax& syntax, const TypedNode& made) {
  constexpr double most = 1e6;
  const TypedNode& by = *made.operands[1];
  const bool is_step = by.kind == TypedNode::Kind::number && by.type.unit == no_unit &&
                       std::trunc(by.value) == by.value && by.value <= most;
  const bool adds = syntax.op == Operator::plus || syntax.op == Operator::minus;
  if (!checked_.require(
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
  return checked_.finished(std::move(shifted), syntax.begin);
}

Typed OperatorChecker::within(const Syntax& syntax, TypedNode made) {
  made.kind = TypedNode::Kind::within;
  const MetricType& one = made.operands[0]->type;
  const MetricType& all = made.operands[1]->type;
  const bool is_member =
      one.dimensions == 0 && all.dimensions == 1 && one.base == all.base && is_object_or_region(one.base);
  const bool is_moment = one.is(Base::time_point) && all.is(Base::time_interval);
  if (!checked_.require(
          is_member || is_moment, syntax.begin,
          fmt::format("{} and {}: IN takes an object and several of its type, or a point of time and an "
                      "interval",
                      described(made.operands[0], *syntax.operands[0]),
                      described(made.operands[1], *syntax.operands[1]))))
    return nullptr;
  return truth(syntax, std::move(made));
}

Typed OperatorChecker::rate(const Syntax& syntax, TypedNode made) {
  made.kind = TypedNode::Kind::rate;
  const auto unit = divided(made.operands[0]->type.unit, second);
  if (!checked_.require(
          made.operands[0]->type.is(Base::value) && unit, syntax.operands[0]->begin,
          fmt::format("{}: RATE takes a value", described(made.operands[0], *syntax.operands[0]))))
    return nullptr;
  made.type = {Base::value, 0, *unit};
  return checked_.finished(std::move(made), syntax.begin);
}

}  // namespace eventspace::metrics
