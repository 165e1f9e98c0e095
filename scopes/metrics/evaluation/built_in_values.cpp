// The part of the evaluator that reads counts and samples: the values of built-in metrics.
#include <set>
#include <utility>

#include "scopes/metrics/evaluation/evaluator.h"

namespace eventspace::metrics {

Span Evaluator::span_of(const Node& interval) const {
  if (interval.what->kind == TypedNode::Kind::parameter) return moments_.span;
  return interval.operands[0]->what->moment == Moment::last ? Span::since_last : Span::since_start;
}

Datum Evaluator::built_in(const Node& node, Binding& binding) {
  if (node.what->index == Definition::the_clock)
    return Datum::at(static_cast<double>(moments_.now_ns) / 1e9, moments_.now_ns, moments_.now_ns);
  if (Definition::is_sampled(node.what->index)) return sampled(node, binding);
  Node& owner = *node.operands[0];
  std::vector<std::uint32_t> objects;
  Datum error;
  if (!objects_in(owner, binding, objects, error)) return error;
  std::vector<std::uint32_t> threads;
  for (const std::uint32_t object : objects) {
    const auto more = history_.objects().threads_of(owner.what->type.base, object);
    threads.insert(threads.end(), more.begin(), more.end());
  }
  if (node.operands.size() > 2) return limited(node, binding, {threads});
  const CounterTotals& totals = history_.totals(node.what->index);
  if (span_of(*node.operands.back()) == Span::since_start)
    return Datum::at(totals.total(threads), moments_.start_ns, moments_.now_ns);
  if (passage_ == nullptr && totals.is_held(threads, moments_.last_ns))
    return Datum::without(Datum::State::absent);
  return Datum::at(totals.since_last(threads), totals.counted_from(threads, moments_.last_ns),
                   moments_.now_ns);
}

/// The counts with some partners, or in some regions.
Datum Evaluator::limited(const Node& node, Binding& binding, CounterTotals::Over over) {
  std::set<Partner> partners;
  std::vector<std::uint32_t> regions;
  for (std::size_t i = 1; i + 1 < node.operands.size(); ++i) {
    const Base base = node.operands[i]->what->type.base;
    std::vector<std::uint32_t> chosen;
    Datum error;
    if (!objects_in(*node.operands[i], binding, chosen, error)) return error;
    if (base == Base::region) {
      regions = std::move(chosen);
      over.regions = &regions;
    } else {
      partners = partners_of(base, chosen, history_.objects());
      over.partners = &partners;
    }
  }
  const bool is_whole = span_of(*node.operands.back()) == Span::since_start;
  const auto sums = history_.totals(node.what->index).sums(over);
  return Datum::at(is_whole ? sums.total : sums.total - sums.until_last,
                   is_whole ? moments_.start_ns : moments_.last_ns, moments_.now_ns);
}

// A node's load is the same in the samples of all its processes, so one of them counts.
Datum Evaluator::sampled(const Node& node, Binding& binding) {
  const BuiltInMetric& metric = built_in_metrics()[node.what->index - Definition::first_sampled];
  Node& owner = *node.operands[0];
  const ObservedObjects& objects = history_.objects();
  std::vector<std::uint32_t> chosen;
  Datum error;
  if (!objects_in(owner, binding, chosen, error)) return error;
  std::set<std::uint32_t> processes;
  std::set<std::uint32_t> nodes;
  for (const std::uint32_t object : chosen) {
    for (const std::uint32_t process : objects.processes_of(owner.what->type.base, object)) {
      processes.insert(process);
      nodes.insert(objects.processes()[process].node);
    }
  }
  const Usages& usages = history_.usages();
  if (metric.is_of_nodes()) return usages.of_nodes(metric.resource, nodes, objects);
  if (metric.resource == Resource::clock_error) return usages.clock_error(processes);
  if (metric.source == Source::present) return usages.present(metric.resource, processes);
  const Span span = span_of(*node.operands.back());
  Datum used = usages.used(metric.resource, processes, span == Span::since_last);
  if (used.is_good()) used.begin_ns = span == Span::since_last ? moments_.last_ns : moments_.start_ns;
  return used;
}

bool Evaluator::objects_in(Node& operand, Binding& binding, std::vector<std::uint32_t>& numbers,
                           Datum& error) {
  if (operand.what->type.dimensions == 0) {
    error = of(operand, binding);
    if (error.is_good()) numbers.push_back(static_cast<std::uint32_t>(error.number));
    return error.is_good();
  }
  const Chosen& chosen = chosen_[operand.what->index];
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) numbers.push_back(i);
  }
  return true;
}

}  // namespace eventspace::metrics
