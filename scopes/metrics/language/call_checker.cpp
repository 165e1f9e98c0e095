// The calls of metrics, and AT: the part of ExpressionChecker that handles metrics and probes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "paths/parameters/nearest.h"
#include "scopes/expressions/expression.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/expression_checker.h"

namespace eventspace::metrics {
namespace {

bool is_virtual_time_itself(const TypedNode& node) {
  if (node.kind == TypedNode::Kind::shifted) return is_virtual_time_itself(*node.operands[0]);
  return node.kind == TypedNode::Kind::variable || node.kind == TypedNode::Kind::parameter;
}

/// Returns the fault of the text of a condition or quantity, in bytes from the text's begin.
std::optional<TextFault> text_fault(std::string_view text, bool is_condition) {
  constexpr std::array condition{ValueType::boolean};
  constexpr std::array quantity{ValueType::number};
  return is_condition ? Expression::fault(text, condition) : Expression::fault(text, quantity);
}

/// `seen`: visited nodes. Shared nodes are visited once: as a tree, an expression can be exponentially large.
bool has_samples(const TypedNode& node, std::unordered_set<const TypedNode*>& seen) {
  if (!seen.insert(&node).second) return false;
  return (node.kind == TypedNode::Kind::built_in && built_in_metrics()[node.index].is_sampled()) ||
         std::ranges::any_of(node.operands,
                             [&](const Typed& operand) { return has_samples(*operand, seen); }) ||
         (node.condition && has_samples(*node.condition, seen));
}

bool is_object_or_several(const MetricType& type) { return is_object(type.base) && type.dimensions <= 1; }

/// Returns how many of the operands match the parameters of a built-in metric, in order.
std::size_t fitting(const BuiltInMetric& metric, const std::vector<Typed>& operands) {
  std::size_t at = 0;
  const auto take = [&](auto fits) {
    const bool is_one = at < operands.size() && fits(operands[at]->type);
    if (is_one) ++at;
    return is_one;
  };
  if (metric.source == Source::time)
    return take([](const MetricType& type) { return type.is(Base::time_point); });
  if (!take(is_object_or_several)) return at;
  if (metric.is_sampled()) {
    if (operands[0]->type.base == Base::thread) return 0;  // the kernel accounts for processes only
    const Base when = metric.source == Source::used ? Base::time_interval : Base::time_point;
    take([when](const MetricType& type) { return type.is(when); });
    return at;
  }
  if (metric.has_partners) take(is_object_or_several);
  take([](const MetricType& type) { return type.base == Base::region && type.dimensions <= 1; });
  const int texts = metric.source == Source::quantity ? 2 : metric.takes_condition() ? 1 : 0;
  for (int i = 0; i < texts; ++i) {
    if (!take([](const MetricType& type) { return type.is(Base::text); })) return at;
  }
  take([](const MetricType& type) { return type.is(Base::time_interval); });
  return at;
}

}  // namespace

const Metric* KnownMetrics::find(std::string_view name, std::uint32_t& number) const {
  number = 0;
  for (const Metric& metric : of_library) {
    if (metric.name == name) return &metric;
    ++number;
  }
  for (const Metric& metric : *of_file) {
    if (metric.name == name) return &metric;
    ++number;
  }
  return nullptr;
}

std::vector<std::string_view> KnownMetrics::names() const {
  std::vector<std::string_view> all;
  for (const Metric& metric : *of_file) all.push_back(metric.name);
  for (const Metric& metric : of_library) all.push_back(metric.name);
  for (const BuiltInMetric& metric : built_in_metrics()) all.push_back(metric.name);
  return all;
}

Typed ExpressionChecker::at(const Syntax& syntax) {
  std::uint32_t number = 0;
  const Probe* const probe = probe_of(syntax, number);
  if (probe == nullptr || !bind_probe_values(syntax, *probe)) return nullptr;
  Typed value = node(*syntax.operands[0]);
  probe_values_.clear();
  const Typed object = node(*syntax.operands[1]);
  const Typed when = node(*syntax.operands[2]);
  if (!value || !object || !when) return nullptr;
  if (!is_taken_at(*value, *syntax.operands[0], *probe) ||
      !checked_.require(object->type.is(probe->object), syntax.operands[1]->begin,
                        fmt::format("{} is {}; '{}' is passed by {}", shown(syntax.operands[1]->source),
                                    described(object->type), probe->name, described({probe->object}))) ||
      !checked_.require(when->type.is(Base::virtual_time) && is_virtual_time_itself(*when),
                        syntax.operands[2]->begin,
                        fmt::format("{} is {}; expected a virtual time, such as vt or vt - 1",
                                    shown(syntax.operands[2]->source), described(when->type))))
    return nullptr;
  TypedNode made;
  made.kind = TypedNode::Kind::at;
  made.type = value->type;
  made.index = number;
  made.operands = {std::move(value), object, when};
  return checked_.finished(std::move(made), syntax.begin);
}

bool ExpressionChecker::is_taken_at(const TypedNode& value, const Syntax& syntax, const Probe& probe) {
  std::unordered_set<const TypedNode*> seen;
  return checked_.require(
             value.type.is(Base::value), syntax.begin,
             fmt::format("{} is {}; AT takes a value", shown(syntax.source), described(value.type))) &&
         checked_.require(
             !value.is_event_triggered(), syntax.begin,
             fmt::format("{} depends on a probe itself; the value before AT is taken when '{}' is passed",
                         shown(syntax.source), probe.name)) &&
         checked_.require(
             !has_samples(value, seen), syntax.begin,
             fmt::format(
                 "{} is sampled when a server is polled, not when '{}' is passed; AT takes values of events",
                 shown(syntax.source), probe.name));
}

const Probe* ExpressionChecker::probe_of(const Syntax& syntax, std::uint32_t& number) {
  const auto found = std::ranges::find(probes_, syntax.name.text, &Probe::name);
  number = static_cast<std::uint32_t>(found - probes_.begin());
  if (found != probes_.end()) return found->is_faulty ? nullptr : &*found;
  std::uint32_t metric = 0;
  if (metrics_.find(syntax.name.text, metric) != nullptr) {
    checked_.fail(syntax.name.begin,
                  fmt::format("'{}' is a metric; AT takes a probe, declared with PROBE", syntax.name.text));
    return nullptr;
  }
  std::vector<std::string_view> known;
  for (const Probe& probe : probes_) known.push_back(probe.name);
  checked_.fail(
      syntax.name.begin,
      known.empty()
          ? fmt::format("unknown probe '{0}'; declare it: PROBE {0}(Process, VirtualTime);", syntax.name.text)
          : fmt::format("unknown probe '{}'{}", syntax.name.text, hint(syntax.name.text, known)));
  return nullptr;
}

bool ExpressionChecker::bind_probe_values(const Syntax& syntax, const Probe& probe) {
  const std::size_t given = syntax.operands.size() - 1;
  if (!checked_.require(
          given >= 2 && given <= probe.values + 2, syntax.name.begin,
          fmt::format("'{}' takes its {}, a virtual time and up to {} variables for its values; found {} "
                      "arguments",
                      probe.name, described({probe.object}).substr(2), probe.values, given)))
    return false;
  probe_values_.clear();
  for (std::size_t i = 3; i < syntax.operands.size(); ++i) {
    const Syntax& argument = *syntax.operands[i];
    const Symbol* const symbol =
        argument.kind == Syntax::Kind::name ? names_.find(argument.name.text) : nullptr;
    const bool is_free = symbol != nullptr && symbol->kind == Symbol::Kind::variable &&
                         symbol->type.base == Base::value && !symbol->is_array;
    if (!checked_.require(
            is_free, argument.begin,
            fmt::format("found {}; expected a Value variable without a value, for value {} of the probe",
                        shown(argument.source), i - 2)))
      return false;
    probe_values_[std::string(argument.name.text)] = static_cast<std::uint32_t>(i - 3);
  }
  return true;
}

Typed ExpressionChecker::call(const Syntax& syntax) {
  std::uint32_t number = 0;
  if (const Metric* const metric = metrics_.find(syntax.name.text, number))
    return metric_call(syntax, *metric, number);
  if (const auto built_in = built_in_metric_named(syntax.name.text)) return built_in_call(syntax, *built_in);
  return unknown_metric(syntax);
}

Typed ExpressionChecker::unknown_metric(const Syntax& syntax) {
  const auto& name = syntax.name.text;
  if (name == metrics_.current)
    return checked_.fail(syntax.name.begin, fmt::format("the metric '{}' uses itself", name));
  // A metric that has a fault is known; its users get no fault of their own.
  if (std::ranges::find(metrics_.file->broken, name, &Word::text) != metrics_.file->broken.end())
    return nullptr;
  for (const MetricSyntax& metric : metrics_.file->metrics) {
    if (metric.name.text != name) continue;
    if (metric.name.begin < syntax.name.begin) return nullptr;  // it has a fault
    return checked_.fail(
        syntax.name.begin,
        fmt::format("the metric '{}' is defined after this; metrics are defined before they are used", name));
  }
  if (names_.find(name) != nullptr)
    return checked_.fail(syntax.name.begin, fmt::format("'{}' is a variable; expected no parameters", name));
  return checked_.fail(syntax.name.begin,
                       fmt::format("unknown metric '{}'{}", name, suggestion(name, metrics_.names())));
}

Typed ExpressionChecker::metric_call(const Syntax& syntax, const Metric& metric, std::uint32_t number) {
  const std::size_t wanted = metric.parameters.size();
  if (!checked_.require(
          syntax.operands.size() == wanted, syntax.name.begin,
          fmt::format("'{}' has {} parameters, found {}", metric.name, wanted, syntax.operands.size())))
    return nullptr;
  TypedNode made;
  made.kind = TypedNode::Kind::metric;
  made.type = metric.result->type;
  made.index = number;
  bool is_good = true;
  for (std::size_t i = 0; i < wanted; ++i) {
    made.operands.push_back(argument(*syntax.operands[i], metric.parameters[i], metric));
    is_good = is_good && made.operands.back();
  }
  return is_good ? checked_.finished(std::move(made), syntax.begin) : nullptr;
}

Typed ExpressionChecker::argument(const Syntax& syntax, const Parameter& parameter, const Metric& metric) {
  Typed given = node(syntax);
  if (!given) return nullptr;
  const MetricType& wanted = parameter.type;
  if (given->type.base == wanted.base && given->type.dimensions == wanted.dimensions) return given;
  if (given->type.base == wanted.base && given->type.dimensions == 1 && wanted.dimensions == 0)
    return each_of(given, syntax);
  return checked_.fail(
      syntax.begin, fmt::format("{} is {}; '{}' of '{}' is {}", shown(syntax.source), described(given->type),
                                parameter.name, metric.name, described(wanted)));
}

Typed ExpressionChecker::each_of(const Typed& several, const Syntax& syntax) {
  const MetricType one = several->type.element();
  const std::uint32_t variable = names_.add_variable(std::string(syntax.source), one);
  TypedNode member;
  member.kind = TypedNode::Kind::within;
  member.type = {Base::boolean};
  member.operands = {names_.variable_node(variable), several};
  expanded_.push_back({variable, names_.nodes().make(std::move(member))});
  return names_.variable_node(variable);
}

Typed ExpressionChecker::built_in_call(const Syntax& syntax, std::uint32_t number) {
  const BuiltInMetric& metric = built_in_metrics()[number];
  auto [made, is_good] = with_operands(syntax, TypedNode::Kind::built_in);
  if (!is_good) return nullptr;
  const std::size_t fit = fitting(metric, made.operands);
  const bool is_last_time = fit > 0 && is_time(made.operands[fit - 1]->type.base);
  if (fit < made.operands.size() || !is_last_time) {
    const bool is_missing = fit == made.operands.size();
    const auto found = is_missing ? std::string("the end of the parameters")
                                  : fmt::format("{}, which is {}", shown(syntax.operands[fit]->source),
                                                described(made.operands[fit]->type));
    return checked_.fail(is_missing ? syntax.name.begin : syntax.operands[fit]->begin,
                         fmt::format("found {}; expected {}", found, signature(metric)));
  }
  for (std::size_t i = 0, text = 0; i < made.operands.size(); ++i) {
    if (!made.operands[i]->type.is(Base::text)) continue;
    const bool is_condition = metric.source != Source::quantity || text++ == 1;
    const auto fault = text_fault(made.operands[i]->text, is_condition);
    if (!checked_.require(!fault, syntax.operands[i]->begin + 1 + (fault ? fault->offset : 0),
                          fault ? fault->text.substr(fault->text.find(": ") + 2) : ""))
      return nullptr;
  }
  made.index = number;
  made.type = {Base::value, 0, metric.unit};
  return checked_.finished(std::move(made), syntax.begin);
}

}  // namespace eventspace::metrics
