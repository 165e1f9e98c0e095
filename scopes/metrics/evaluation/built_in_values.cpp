#include "scopes/metrics/evaluation/built_in_values.h"

#include <utility>

#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace::metrics {

Datum BuiltInValues::clock() const {
  const std::int64_t now_ns = context_.moments.now_ns;
  return Datum::at(static_cast<double>(now_ns) / 1e9, now_ns, now_ns);
}

Datum BuiltInValues::of(const ValueNode& node, const Operands& operands) const {
  if (Definition::is_sampled(node.what->index)) return sampled(node, operands[0]);
  const Base base = node.operands[0]->what->type.base;
  std::vector<std::uint32_t> threads;
  for (const std::uint32_t object : operands[0]) {
    const auto more = context_.history.objects().threads_of(base, object);
    threads.insert(threads.end(), more.begin(), more.end());
  }
  if (node.operands.size() > 2) return limited(node, operands, {std::move(threads)});
  return counted(node, threads);
}

Datum BuiltInValues::counted(const ValueNode& node, const std::vector<std::uint32_t>& threads) const {
  const CounterTotals& totals = std::as_const(context_.history).totals(node.what->index);
  const Moments& moments = context_.moments;
  if (context_.span_of(*node.operands.back()) == Span::since_start)
    return Datum::at(totals.total(threads), moments.start_ns, moments.now_ns);
  if (context_.passage == nullptr && totals.is_held(threads, moments.last_ns))
    return Datum::without(Datum::State::absent);
  return Datum::at(totals.since_last(threads), totals.counted_from(threads, moments.last_ns), moments.now_ns);
}

Datum BuiltInValues::limited(const ValueNode& node, const Operands& operands,
                             CounterTotals::Over over) const {
  std::set<Partner> partners;
  for (std::size_t i = 1; i + 1 < node.operands.size(); ++i) {
    const Base base = node.operands[i]->what->type.base;
    if (base == Base::region) {
      over.regions = &operands[i];
    } else {
      partners = partners_of(base, operands[i], context_.history.objects());
      over.partners = &partners;
    }
  }
  const Span span = context_.span_of(*node.operands.back());
  const auto sums = std::as_const(context_.history).totals(node.what->index).sums(over);
  return Datum::at(span == Span::since_start ? sums.total : sums.total - sums.until_last,
                   context_.begin_of(span), context_.moments.now_ns);
}

// A node's load is the same in the samples of all its processes, so one of them counts.
Datum BuiltInValues::sampled(const ValueNode& node, const std::vector<std::uint32_t>& chosen) const {
  const BuiltInMetric& metric = built_in_metrics()[node.what->index - Definition::first_sampled];
  const ObservedObjects& objects = context_.history.objects();
  std::set<std::uint32_t> processes;
  std::set<std::uint32_t> nodes;
  for (const std::uint32_t object : chosen) {
    for (const std::uint32_t process : objects.processes_of(node.operands[0]->what->type.base, object)) {
      processes.insert(process);
      nodes.insert(objects.processes()[process].node);
    }
  }
  const Usages& usages = context_.history.usages();
  if (metric.is_of_nodes()) return usages.of_nodes(metric.resource, nodes, objects);
  if (metric.resource == Resource::clock_error) return usages.clock_error(processes);
  if (metric.source == Source::present) return usages.present(metric.resource, processes);
  const Span span = context_.span_of(*node.operands.back());
  Datum used = usages.used(metric.resource, processes, span == Span::since_last);
  if (used.is_good()) used.begin_ns = context_.begin_of(span);
  return used;
}

}  // namespace eventspace::metrics
