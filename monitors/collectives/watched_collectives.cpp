#include "monitors/collectives/watched_collectives.h"

#include <algorithm>
#include <utility>

namespace eventspace {
namespace {

// True if no thread has contributed. The operation may be known anyway, because a joint waits in it.
bool has_nobody(const CollectiveShape& shape, const OperationReport& report) {
  const auto threads = std::ranges::count_if(shape.edges, &CollectiveShape::Edge::is_thread);
  return static_cast<std::ptrdiff_t>(report.absent.size()) == threads;
}

}  // namespace

void WatchedCollectives::settle(Time at, std::vector<Operation>& told) {
  for (std::size_t number = 0; number < collectives_.size(); ++number) {
    Collective& collective = *collectives_[number];
    for (OperationReport& report : collective.analysis.settle(at)) {
      collective.totals.add(report);
      told.push_back({number, runs(), std::move(report)});
    }
  }
}

void WatchedCollectives::begin_anew(std::vector<Operation>& told) {
  for (Operation& operation : open()) {
    operation.run = runs() - 1;
    collectives_[operation.collective]->totals.add(operation.report);
    told.push_back(std::move(operation));
  }
  for (const auto& collective : collectives_) collective->analysis.begin_anew();
}

std::vector<WatchedCollectives::Operation> WatchedCollectives::open() const {
  std::vector<Operation> all;
  for (std::size_t number = 0; number < collectives_.size(); ++number) {
    const CollectiveShape& shape = collectives_[number]->shape;
    for (OperationReport& report : collectives_[number]->analysis.open()) {
      if (!has_nobody(shape, report)) all.push_back({number, runs(), std::move(report)});
    }
  }
  return all;
}

}  // namespace eventspace
