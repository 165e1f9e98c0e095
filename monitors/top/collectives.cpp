#include "monitors/top/collectives.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "monitors/cli/options.h"
#include "monitors/top/looker.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace::top {
namespace {

std::vector<std::string> names_of(const CollectiveShape& shape, const std::vector<std::size_t>& edges) {
  std::vector<std::string> names;
  names.reserve(edges.size());
  for (const std::size_t edge : edges) names.push_back(shape.edges[edge].name);
  return names;
}

}  // namespace

CollectiveLooker::CollectiveLooker(Consumer& consumer, const ScopeTree& tree)
    : views_(consumer.open(tree)),
      newest_(consumer.open(newest_of_each(tree))),
      watch_(consumer.plan(), consumer.names(), tree),
      before_(watch_.size()) {
  for (std::size_t i = 0; i < watch_.size(); ++i) samples_.push_back({watch_.collective(i).shape.name});
}

std::vector<CollectiveSample> CollectiveLooker::look(std::chrono::nanoseconds timeout, WatchPulls& pulls) {
  const auto pull = [&](ViewSource& views) {
    return pulls.pull_beside(views, {.deadline = pull_deadline(timeout)});
  };
  std::vector<CollectiveWatch::Operation> told;
  do {
    auto more = watch_.observe(pull(views_), pulls.now());
    std::ranges::move(more, std::back_inserter(told));
  } while (pulls.timeline().has_rest());
  if (told.empty()) watch_.observe_under_way(pull(newest_));
  const Timeline::Time now = pulls.now();
  for (const CollectiveWatch::Operation& operation : told) tell(operation);
  const double seconds = looked_ ? std::chrono::duration<double>(now - *looked_).count() : 0;
  looked_ = now;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    CollectiveSample& sample = samples_[i];
    sample.per_second.reset();
    if (before_[i] != 0 && sample.number >= before_[i] && seconds > 0)
      sample.per_second = static_cast<double>(sample.number - before_[i]) / seconds;
    before_[i] = sample.number;
    sample.absent.clear();
    sum_up(i);
  }
  for (const CollectiveWatch::Operation& operation : watch_.open()) {
    CollectiveSample& sample = samples_[operation.collective];
    if (!told.empty() || !sample.absent.empty()) continue;
    sample.absent = names_of(watch_.collective(operation.collective).shape, operation.report.absent);
  }
  return samples_;
}

void CollectiveLooker::tell(const CollectiveWatch::Operation& operation) {
  CollectiveSample& sample = samples_[operation.collective];
  sample.number = operation.report.number;
  sample.last = names_of(watch_.collective(operation.collective).shape, operation.report.last.candidates);
  sample.by = operation.report.last.after_second;
}

void CollectiveLooker::sum_up(std::size_t collective) {
  const auto& [in_plan, shape, analysis, totals] = watch_.collective(collective);
  CollectiveSample& sample = samples_[collective];
  sample.told = totals.complete() + totals.incomplete() + totals.broken();
  sample.not_whole = totals.incomplete() + totals.broken() + analysis.counts().unseen;
  sample.waited_ns = std::accumulate(
      totals.threads().begin(), totals.threads().end(), 0.0,
      [](double sum, const CollectiveTotals::Thread& thread) { return sum + thread.waited.ns; });
  const auto costliest = totals.costliest();
  if (costliest.empty()) return;
  sample.costliest = shape.edges[costliest.front()].name;
  sample.cost_ns = totals.threads()[costliest.front()].cost.ns;
}

}  // namespace eventspace::top
