// The aggregates of Evaluator: over objects, and over virtual times.

#include <algorithm>

#include "scopes/metrics/evaluation/evaluator.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

}  // namespace

Datum Evaluator::aggregate(const TypedNode& node, Binding& binding) {
  for (const std::uint32_t variable : node.bound) {
    if (definition_.variables[variable].type.base == Base::virtual_time)
      return over_steps(node, variable, binding);
  }
  std::vector<Datum> taken;
  if (over_objects(node, binding, taken) == Datum::State::later) return Datum::without(Datum::State::later);
  Tally tally(node.aggregate, node.value);
  for (const Datum& value : taken) tally.add(value);
  return tally.result();
}

Datum Evaluator::over_steps(const TypedNode& node, std::uint32_t variable, Binding& binding) {
  Progress& progress = progress_[key_of(node, binding)];
  if (!progress.start) progress.start.emplace(node.aggregate, node.value);
  if (!progress.last) progress.last.emplace(node.aggregate, node.value);
  const auto steps = steps_after(progress.done, samplers_below(node));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    binding.steps[variable] = steps[i];
    std::vector<Datum> taken;
    if (over_objects(node, binding, taken) == Datum::State::later) {
      if (steps.size() - i <= most_waiting) break;
      taken.clear();
      giving_up([&] { over_objects(node, binding, taken); });
    }
    for (const Datum& value : taken) {
      progress.start->add(value);
      progress.last->add(value);
    }
    progress.done = steps[i];
  }
  const bool is_last = node.condition && span_in(*node.condition) == Span::since_last;
  return is_last ? progress.last->result() : progress.start->result();
}

/// The interval that a condition names; none: it names none.
std::optional<Span> Evaluator::span_in(const TypedNode& condition) const {
  if (condition.kind == Kind::within && condition.operands[1]->type.base == Base::time_interval)
    return span_of(*condition.operands[1]);
  for (const Typed& operand : condition.operands) {
    if (const auto span = operand->type.base == Base::boolean ? span_in(*operand) : std::nullopt) return span;
  }
  return std::nullopt;
}

Datum::State Evaluator::over_objects(const TypedNode& node, Binding& binding, std::vector<Datum>& taken) {
  for (bool is_one = first_choice(node, binding); is_one; is_one = next_choice(node, binding)) {
    if (node.condition) {
      const Datum holds = of(*node.condition, binding);
      if (holds.state == Datum::State::later && !is_giving_up_) return Datum::State::later;
      if (!holds.is_true()) continue;
    }
    const Datum value = of(*node.operands[0], binding);
    if (value.state == Datum::State::later && !is_giving_up_) return Datum::State::later;
    if (value.is_present()) taken.push_back(value);
  }
  return Datum::State::present;
}

bool Evaluator::first_choice(const TypedNode& node, Binding& binding) const {
  for (const std::uint32_t variable : node.bound) {
    const Base base = definition_.variables[variable].type.base;
    if (base == Base::virtual_time) continue;
    if (history_.objects().count(base) == 0) return false;
    binding.objects[variable] = 0;
  }
  return true;
}

bool Evaluator::next_choice(const TypedNode& node, Binding& binding) const {
  for (const std::uint32_t variable : node.bound) {
    const Base base = definition_.variables[variable].type.base;
    if (base == Base::virtual_time) continue;
    if (++binding.objects[variable] < history_.objects().count(base)) return true;
    binding.objects[variable] = 0;
  }
  return false;
}

std::vector<Step> Evaluator::steps_after(const std::optional<Step>& done,
                                         const std::vector<std::uint32_t>& samplers) const {
  std::vector<Step> steps;
  for (const auto& [of, samples] : history_.samples()) {
    if (!std::ranges::binary_search(samplers, of.first)) continue;
    const auto& all = samples.all();
    auto from = all.begin();
    if (done) from = std::ranges::upper_bound(all, *done, {}, &std::pair<Step, Datum>::first);
    for (; from != all.end(); ++from) steps.push_back(from->first);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

const std::vector<std::uint32_t>& Evaluator::samplers_below(const TypedNode& node) {
  const auto known = samplers_below_.find(&node);
  if (known != samplers_below_.end()) return known->second;
  std::vector<std::uint32_t> all;
  if (node.kind == Kind::at) all.push_back(node.index);
  for (const Typed& operand : node.operands) {
    const auto& below = samplers_below(*operand);
    all.insert(all.end(), below.begin(), below.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return samplers_below_[&node] = std::move(all);
}

}  // namespace eventspace::metrics
