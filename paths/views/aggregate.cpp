#include "paths/views/aggregate.h"

#include <algorithm>
#include <utility>

namespace eventspace {

std::string_view to_string(Reduction reduction) noexcept {
  switch (reduction) {
    case Reduction::count:
      return "count";
    case Reduction::sum:
      return "sum";
    case Reduction::mean:
      return "mean";
    case Reduction::min:
      return "min";
    case Reduction::max:
      return "max";
    case Reduction::histogram:
      return "histogram";
  }
  return "?";
}

void Aggregate::add(double number) {
  ++count;
  sum += number;
  least = std::min(least, number);
  greatest = std::max(greatest, number);
  if (reduction == Reduction::histogram) histogram.add(number);
}

void Aggregate::add(const Aggregate& other) {
  count += other.count;
  sum += other.sum;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  histogram.add(other.histogram);
}

double Aggregate::value() const noexcept {
  if (reduction == Reduction::count) return static_cast<double>(count);
  if (count == 0) return 0;
  switch (reduction) {
    case Reduction::mean:
      return sum / static_cast<double>(count);
    case Reduction::min:
      return least;
    case Reduction::max:
      return greatest;
    case Reduction::histogram:
      // The middle of a bucket may lie outside of the numbers in it.
      return std::clamp(histogram.quantile(0.5), least, greatest);
    default:
      return sum;
  }
}

void put_in_order(std::vector<Aggregate>& aggregates) {
  std::sort(aggregates.begin(), aggregates.end(),
            [](const Aggregate& a, const Aggregate& b) { return a.key() < b.key(); });
  std::vector<Aggregate> together;
  for (Aggregate& aggregate : aggregates) {
    if (!together.empty() && together.back().key() == aggregate.key()) {
      together.back().add(aggregate);
    } else {
      together.push_back(std::move(aggregate));
    }
  }
  aggregates = std::move(together);
}

void merge(std::vector<Aggregate>& aggregates, std::vector<Aggregate>&& more) {
  if (more.empty()) return;
  if (aggregates.empty()) {
    aggregates = std::move(more);
    return;
  }
  std::vector<Aggregate> merged;
  merged.reserve(aggregates.size() + more.size());
  auto mine = aggregates.begin();
  auto theirs = more.begin();
  while (mine != aggregates.end() && theirs != more.end()) {
    if (mine->key() == theirs->key()) mine->add(*theirs++);
    auto& first = theirs == more.end() || mine->key() < theirs->key() ? mine : theirs;
    merged.push_back(std::move(*first++));
  }
  std::move(mine, aggregates.end(), std::back_inserter(merged));
  std::move(theirs, more.end(), std::back_inserter(merged));
  aggregates = std::move(merged);
}

}  // namespace eventspace
