#include "scopes/metrics/evaluation/expression_values.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "paths/parameters/glob.h"
#include "scopes/expressions/operators.h"
#include "scopes/metrics/evaluation/aggregate_values.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

constexpr double ns_per_second = 1e9;

/// The result if one of several operands is missing, or nothing if all are present. `is_of_probes`: if one
/// operand was seen and another was not, the value is left out.
std::optional<Datum> without_all(std::span<const Datum> operands, bool is_of_probes) {
  using State = Datum::State;
  std::array<bool, 6> has{};
  std::int64_t seen_ns = 0;
  for (const Datum& operand : operands) {
    has[static_cast<std::size_t>(operand.state)] = true;
    const bool is_seen = operand.is_present() || operand.is_partial();
    if (seen_ns == 0 && is_seen) seen_ns = operand.time_ns;
  }
  for (const State state : {State::later, State::missed, State::unseen, State::before, State::absent}) {
    if (!has[static_cast<std::size_t>(state)]) continue;
    const bool can_be_partial = is_of_probes && (state == State::missed || state == State::absent);
    return can_be_partial ? Datum::partial(state, seen_ns) : Datum::without(state);
  }
  return std::nullopt;
}

/// The result of a node if the value of an operand is missing, or nothing if all have one.
std::optional<Datum> without_value(std::span<const Datum> operands, bool is_of_probes) {
  if (const auto none = without_all(operands, is_of_probes)) return none;
  const auto faulty =
      std::ranges::find_if(operands, [](const Datum& each) { return each.problem != Problem::none; });
  if (faulty != operands.end()) return with_times(Datum::wrong(faulty->problem), operands);
  return std::nullopt;
}

Datum arithmetic(Operator op, double left, double right) {
  const bool divides = op == Operator::divided || op == Operator::modulo;
  if (divides && right == 0.0) return Datum::wrong(Problem::divided_by_zero);
  const double result = expressions::calculate(op, left, right);
  return std::isfinite(result) ? Datum::of(result) : Datum::wrong(Problem::too_large);
}

Datum of_texts(const TypedNode& node, std::string_view left, std::string_view right) {
  if (node.op == Operator::matches) return Datum::of(glob_match(right, left) ? 1.0 : 0.0);
  return Datum::of((left == right) == (node.op == Operator::equal) ? 1.0 : 0.0);
}

/// Logic with operands whose values may be missing: a missing value is not true.
Datum logic(Operator op, const Datum& left, const Datum& right) {
  if (left.state == Datum::State::later || right.state == Datum::State::later)
    return Datum::without(Datum::State::later);
  const bool result =
      op == Operator::all_of ? left.is_true() && right.is_true() : left.is_true() || right.is_true();
  return Datum::of(result ? 1.0 : 0.0);
}

}  // namespace

Datum ExpressionValues::of(ValueNode& node, Binding& binding) {
  if (!node.is_shared) return computed(node, binding);
  if (context_.is_known(node, binding)) return node.known;
  const Datum value = computed(node, binding);
  context_.remember(node, binding, value);
  return value;
}

Datum ExpressionValues::computed(const ValueNode& node, Binding& binding) {
  switch (node.what->kind) {
    case Kind::number:
    case Kind::text:
    case Kind::moment:
    case Kind::parameter:
    case Kind::variable:
    case Kind::shifted:
    case Kind::probe_value:
    case Kind::interval:
    case Kind::metric:
      return leaf(node, binding);
    case Kind::attribute:
      return attribute(node, binding);
    case Kind::unary:
      return unary(node, binding);
    case Kind::binary:
      return binary(node, binding);
    case Kind::within:
      return within(node, binding);
    case Kind::built_in:
      return built_in(node, binding);
    case Kind::at:
      return at(node, binding);
    case Kind::aggregate:
      return aggregates_.of(node, binding);
    case Kind::combination:
      return combination(node, binding);
    case Kind::rate:
      return rate(node, binding);
    case Kind::received:
      return received(node, binding);
  }
  return {};
}

/// The value of a node without evaluated operands. Intervals and several objects appear only as operands, and
/// define() has inlined metrics.
Datum ExpressionValues::leaf(const ValueNode& node, const Binding& binding) const {
  Datum made = Datum::of(node.what->value);
  switch (node.what->kind) {
    case Kind::number:
      return made;
    case Kind::text:
      made.text = node.what->text;
      return made;
    case Kind::moment:
      return context_.moment(node.what->moment);
    case Kind::parameter:
      return context_.moment(Moment::now);  // a point of time
    case Kind::variable:
    case Kind::shifted:
      return variable(node, binding);
    case Kind::probe_value:
      return probe_value(node);
    default:
      return {};
  }
}

Datum ExpressionValues::variable(const ValueNode& node, const Binding& binding) {
  if (node.what->kind == Kind::shifted) {
    Datum made = variable(*node.operands[0], binding);
    made.number += node.what->shift;
    return made;
  }
  if (node.what->type.base == Base::virtual_time)
    return Datum::of(static_cast<double>(binding.steps[node.what->index].virtual_time));
  return Datum::of(binding.objects[node.what->index]);
}

Datum ExpressionValues::probe_value(const ValueNode& node) const {
  const auto value = context_.passage == nullptr ? std::nullopt : context_.passage->values[node.what->index];
  return value ? Datum::of(*value) : Datum{};
}

Datum ExpressionValues::attribute(const ValueNode& node, Binding& binding) {
  const ValueNode& owner = *node.operands[0];
  if (owner.what->type.base == Base::time_interval) return attribute_of_interval(node, owner);
  const Datum of_what = of(*node.operands[0], binding);
  if (!of_what.is_good()) return of_what;
  if (node.what->attribute == Attribute::time) return Datum::of(context_.time_of(of_what));
  return attribute_of_object(node, static_cast<std::uint32_t>(of_what.number));
}

Datum ExpressionValues::attribute_of_object(const ValueNode& node, std::uint32_t number) const {
  const ObservedObjects& objects = context_.history.objects();
  const Base base = node.operands[0]->what->type.base;
  if (node.what->attribute == Attribute::name) {
    Datum made = Datum::of(0.0);
    made.text = objects.name(base, number);
    return made;
  }
  if (base == Base::node) return Datum::of(objects.site_of_node(number));
  const std::uint32_t process = base == Base::thread ? objects.threads()[number].process : number;
  const std::uint32_t of_process = objects.processes()[process].node;
  if (node.what->attribute == Attribute::process) return Datum::of(process);
  if (node.what->attribute == Attribute::node) return Datum::of(of_process);
  if (node.what->attribute == Attribute::site) return Datum::of(objects.site_of_node(of_process));
  const auto rank = objects.processes()[process].rank;
  return rank ? Datum::of(*rank) : Datum{};
}

Datum ExpressionValues::attribute_of_interval(const ValueNode& node, const ValueNode& interval) const {
  const std::int64_t begin = context_.begin_of(context_.span_of(interval));
  const std::int64_t end = context_.moments.now_ns;
  if (node.what->attribute == Attribute::begin) return Datum::of(static_cast<double>(begin));
  if (node.what->attribute == Attribute::end) return Datum::of(static_cast<double>(end));
  return Datum::at(static_cast<double>(end - begin) / ns_per_second, begin, end);
}

Datum ExpressionValues::unary(const ValueNode& node, Binding& binding) {
  Datum operand = of(*node.operands[0], binding);
  if (operand.state == Datum::State::later) return operand;
  if (node.what->op == Operator::negates) return Datum::of(operand.is_true() ? 0.0 : 1.0);
  operand.number = -operand.number;
  return operand;
}

Datum ExpressionValues::binary(const ValueNode& node, Binding& binding) {
  const Datum left = of(*node.operands[0], binding);
  return of_two(node, left, of(*node.operands[1], binding));
}

Datum ExpressionValues::of_two(const ValueNode& node, const Datum& left, const Datum& right) {
  if (node.what->op <= Operator::all_of) return logic(node.what->op, left, right);
  if (!left.is_good() || !right.is_good()) {
    const std::array<Datum, 2> operands{left, right};
    if (const auto none = without_value(operands, !node.samplers.empty())) return *none;
  }
  const Base base = node.operands[0]->what->type.base;
  if (base == Base::text) return of_texts(*node.what, left.text, right.text);
  if (node.what->op <= Operator::matches)
    return Datum::of(expressions::compare(node.what->op, left.number, right.number) ? 1.0 : 0.0);
  Datum made = arithmetic(node.what->op, left.number, right.number);
  if (base == Base::time_point) made.number /= ns_per_second;
  // Probes that were passed in reverse order do not belong together.
  if (node.is_duration && made.number < 0.0)
    return Datum::partial(Datum::State::missed, std::max(left.time_ns, right.time_ns));
  return with_times(made, left, right);
}

Datum ExpressionValues::within(const ValueNode& node, Binding& binding) {
  const Datum member = of(*node.operands[0], binding);
  if (!member.is_good()) return member;
  const ValueNode& all = *node.operands[1];
  if (all.what->type.base == Base::time_interval)
    return Datum::of(context_.is_in_interval(member.number) ? 1.0 : 0.0);
  const Chosen& chosen = context_.chosen[all.what->index];
  const auto number = static_cast<std::size_t>(member.number);
  return Datum::of(number < chosen.size() && chosen[number] ? 1.0 : 0.0);
}

Datum ExpressionValues::at(const ValueNode& node, Binding& binding) {
  const TypedNode& passer = *node.operands[0]->what;
  std::uint32_t object = 0;
  if (passer.kind == Kind::variable) [[likely]] {
    object = binding.objects[passer.index];
  } else {
    const Datum found = of(*node.operands[0], binding);
    if (!found.is_good()) return found;
    object = static_cast<std::uint32_t>(found.number);
  }
  Step step = binding.steps[node.when];
  step.virtual_time += node.shift;
  const Samples* const samples = context_.history.samples().find(node.what->index, object);
  return samples == nullptr ? Datum::without(Datum::State::later) : samples->at(step, node.shift < 0);
}

Datum ExpressionValues::combination(const ValueNode& node, Binding& binding) {
  std::vector<Datum> operands;
  for (ValueNode* const operand : node.operands) operands.push_back(of(*operand, binding));
  if (const auto none = without_value(operands, !node.samplers.empty())) return *none;
  Tally tally(node.what->aggregate);
  for (const Datum& operand : operands) tally.add(operand);
  return tally.result();
}

Datum ExpressionValues::rate(const ValueNode& node, Binding& binding) {
  Datum value = of(*node.operands[0], binding);
  if (!value.is_good()) return value;
  const auto length = static_cast<double>(value.end_ns - value.begin_ns) / ns_per_second;
  if (length <= 0.0) return Datum::wrong(Problem::no_length);
  value.number /= length;
  return value;
}

Datum ExpressionValues::built_in(const ValueNode& node, Binding& binding) {
  if (node.what->index == Definition::the_clock) return built_in_.clock();
  BuiltInValues::Operands operands;
  // The last operand is the interval or point of time. A sampled value takes only the objects.
  const bool is_sampled = Definition::is_sampled(node.what->index);
  const std::size_t size = is_sampled ? 1 : std::max(node.operands.size(), std::size_t{2}) - 1;
  for (std::size_t i = 0; i < size; ++i) {
    Datum error;
    if (!objects_in(*node.operands[i], binding, operands[i], error)) return error;
  }
  return built_in_.of(node, operands);
}

bool ExpressionValues::objects_in(ValueNode& operand, Binding& binding, std::vector<std::uint32_t>& numbers,
                                  Datum& error) {
  if (operand.what->type.dimensions == 0) {
    error = of(operand, binding);
    if (error.is_good()) numbers.push_back(static_cast<std::uint32_t>(error.number));
    return error.is_good();
  }
  const Chosen& chosen = context_.chosen[operand.what->index];
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) numbers.push_back(i);
  }
  return true;
}

/// The tallies that servers collected for the object; empty until the first arrives.
Datum ExpressionValues::received(const ValueNode& node, Binding& binding) {
  const Datum object = of(*node.operands[0], binding);
  if (!object.is_good()) return object;
  const std::uint32_t collection = node.what->index;
  const auto span = context_.span_over(nodes_.of(context_.definition.collections[collection].value));
  return context_.over_interval(
      collected_.result(collection, static_cast<std::size_t>(object.number), span == Span::since_last), span);
}

std::span<const Datum> ExpressionValues::column(ValueNode& node, Binding& binding, std::uint32_t variable,
                                                std::span<const Step> steps) {
  if (node.column_in == context_.columns) return node.column;  // already computed for another node
  const Kind kind = node.what->kind;
  const Samples* const samples =
      kind == Kind::at && node.when == variable
          ? context_.history.samples().find(node.what->index, binding.objects[node.operands[0]->what->index])
          : nullptr;
  node.column_in = context_.columns;
  if (samples != nullptr) return node.column = samples->at(steps, node.shift, node.made);
  node.made.resize(steps.size());
  if (kind == Kind::binary) {
    const auto left = column(*node.operands[0], binding, variable, steps);
    const auto right = column(*node.operands[1], binding, variable, steps);
    for (std::size_t i = 0; i < steps.size(); ++i) node.made[i] = of_two(node, left[i], right[i]);
  } else {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      binding.steps[variable] = steps[i];
      node.made[i] = of(node, binding);
    }
  }
  return node.column = node.made;
}

}  // namespace eventspace::metrics
