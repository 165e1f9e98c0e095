#include "scopes/metrics/evaluation/evaluation_context.h"

namespace eventspace::metrics {

using Kind = TypedNode::Kind;

bool EvaluationContext::is_known(const ValueNode& node, const Binding& binding) const {
  if (node.known_in != now_known) return false;
  bool is_same = true;
  std::size_t at = 0;
  for_free_variables(definition, node, binding,
                     [&](std::int64_t part) { is_same = is_same && node.known_for[at++] == part; });
  return is_same;
}

void EvaluationContext::remember(ValueNode& node, const Binding& binding, const Datum& value) const {
  node.known_in = now_known;
  node.known_for.clear();
  for_free_variables(definition, node, binding,
                     [&node](std::int64_t part) { node.known_for.push_back(part); });
  node.known = value;
}

Datum EvaluationContext::moment(Moment moment) const {
  const std::int64_t ns = moment == Moment::now     ? moments.now_ns
                          : moment == Moment::start ? moments.start_ns
                                                    : moments.last_ns;
  return Datum::of(static_cast<double>(ns));
}

Span EvaluationContext::span_of(const ValueNode& interval) const {
  if (interval.what->kind == Kind::parameter) return moments.span;
  return interval.operands[0]->what->moment == Moment::last ? Span::since_last : Span::since_start;
}

std::optional<Span> EvaluationContext::span_in(const ValueNode& condition) const {
  if (condition.what->kind == Kind::within && condition.operands[1]->what->type.base == Base::time_interval)
    return span_of(*condition.operands[1]);
  for (const ValueNode* const operand : condition.operands) {
    if (const auto span = operand->what->type.base == Base::boolean ? span_in(*operand) : std::nullopt)
      return span;
  }
  return std::nullopt;
}

std::optional<Span> EvaluationContext::span_over(const ValueNode& aggregate) const {
  return aggregate.condition == nullptr ? std::nullopt : span_in(*aggregate.condition);
}

Datum EvaluationContext::over_interval(Datum value, std::optional<Span> span) const {
  if (!span) return value;
  if (value.is_timeless()) value.time_ns = moments.now_ns;
  value.begin_ns = begin_of(*span);
  value.end_ns = moments.now_ns;
  return value;
}

}  // namespace eventspace::metrics
