#include "scopes/metrics/evaluation/value_nodes.h"

#include <algorithm>

#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

/// The shift of a virtual time.
std::int64_t shift_of(const TypedNode& when) {
  return when.kind == Kind::shifted ? when.shift + shift_of(*when.operands[0]) : 0;
}

/// As in SUM(x[vt] WHERE x[vt].time IN time).
bool is_by_own_time(const ValueNode& aggregate) {
  const ValueNode* const condition = aggregate.condition;
  if (condition == nullptr || condition->what->kind != Kind::within) return false;
  const ValueNode& member = *condition->operands[0];
  return condition->operands[1]->what->type.base == Base::time_interval &&
         member.what->kind == Kind::attribute && member.what->attribute == Attribute::time &&
         member.operands[0] == aggregate.operands[0];
}

/// Counts and aggregates depend on the time of the evaluation, so they have no column.
bool has_column(const ValueNode& node) {
  switch (node.what->kind) {
    case Kind::number:
    case Kind::text:
    case Kind::moment:
    case Kind::parameter:
    case Kind::variable:
    case Kind::shifted:
    case Kind::interval:
    case Kind::attribute:
    case Kind::unary:
    case Kind::binary:
    case Kind::within:
    case Kind::combination:
    case Kind::rate:
      return std::ranges::all_of(node.operands, &ValueNode::has_column);
    case Kind::at:
      return node.operands[0]->what->kind == Kind::variable;
    case Kind::probe_value:
    case Kind::metric:
    case Kind::built_in:
    case Kind::aggregate:
    case Kind::received:
      return false;
  }
  return false;
}

}  // namespace

ValueNode& ValueNodes::make(const Typed& expression) {
  std::unique_ptr<ValueNode>& place = nodes_[expression.get()];
  if (place) {
    place->is_shared = !place->operands.empty();
    return *place;
  }
  place = std::make_unique<ValueNode>();
  ValueNode& node = *place;  // keeps its address when the table grows
  node.what = expression.get();
  for (const Typed& operand : expression->operands) node.operands.push_back(&make(operand));
  if (expression->condition) node.condition = &make(expression->condition);
  if (expression->kind == Kind::aggregate) {
    node.is_by_own_time = is_by_own_time(node);
    join_others(node);
  }
  find_passer(node);
  node.has_column = has_column(node);
  node.is_duration = is_duration(node);
  return node;
}

/// SUM and COUNT of the same values, as in a mean, take each value once.
void ValueNodes::join_others(ValueNode& aggregate) const {
  aggregate.leader = &aggregate;
  for (const auto& [what, other] : nodes_) {
    if (other == nullptr || other->leader != other.get() || other.get() == &aggregate) continue;
    const bool takes_same = other->what->kind == Kind::aggregate && other->operands == aggregate.operands &&
                            other->condition == aggregate.condition &&
                            other->what->bound == aggregate.what->bound;
    if (takes_same) aggregate.leader = other.get();
  }
  aggregate.place = aggregate.leader->together.size();
  aggregate.leader->together.push_back(aggregate.what);
}

/// Whether a value at a probe never decreases, so that a later value less an earlier one is at least 0.
bool ValueNodes::never_goes_back(const TypedNode& value) const {
  if (value.kind == Kind::binary && value.op == Operator::plus)
    return std::ranges::all_of(value.operands,
                               [this](const Typed& operand) { return never_goes_back(*operand); });
  if (value.kind != Kind::built_in) return false;
  if (value.index == Definition::the_clock) return true;
  if (Definition::is_sampled(value.index)) return false;
  return built_in_metrics()[definition_.counters[value.index].built_in].source == Source::delay;
}

/// As in Time(NOW) AT stop(p, vt) - Time(NOW) AT start(p, vt), for one object.
bool ValueNodes::is_duration(const ValueNode& node) const {
  const TypedNode& what = *node.what;
  if (what.kind != Kind::binary || what.op != Operator::minus || node.passer == ValueNode::nothing)
    return false;
  return std::ranges::all_of(what.operands, [this](const Typed& operand) {
    if (operand->kind != Kind::at) return false;
    const Sampler& sampler = definition_.samplers[operand->index];
    return sampler.value != nullptr && never_goes_back(*sampler.value);
  });
}

void ValueNodes::find_passer(ValueNode& node) {
  const auto take = [&node](const ValueNode* part) {
    if (part == nullptr || part->samplers.empty()) return;
    node.passer = node.samplers.empty() || node.passer == part->passer ? part->passer : ValueNode::nothing;
    node.samplers.insert(node.samplers.end(), part->samplers.begin(), part->samplers.end());
    node.asked.insert(node.asked.end(), part->asked.begin(), part->asked.end());
  };
  if (node.what->kind == Kind::at) {
    const TypedNode& object = *node.what->operands[0];
    node.samplers.push_back(node.what->index);
    const TypedNode* when = node.what->operands[1].get();
    node.shift = shift_of(*when);
    while (when->kind == Kind::shifted) when = when->operands[0].get();
    node.when = when->index;
    node.asked.emplace_back(node.what->index, node.shift);
    node.passer = object.kind == Kind::variable ? object.index : ValueNode::nothing;
    return;
  }
  for (const ValueNode* const operand : node.operands) take(operand);
  take(node.condition);
  std::ranges::sort(node.samplers);
  node.samplers.erase(std::unique(node.samplers.begin(), node.samplers.end()), node.samplers.end());
  std::ranges::sort(node.asked);
  node.asked.erase(std::unique(node.asked.begin(), node.asked.end()), node.asked.end());
  if (std::ranges::count(node.what->bound, node.passer) > 0) node.passer = ValueNode::nothing;
}

std::uint64_t ValueNodes::unmatched() const noexcept {
  std::uint64_t most = 0;
  for (const auto& [what, node] : nodes_) most = std::max(most, node->unmatched);
  return most;
}

}  // namespace eventspace::metrics
