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

void WatchedCollectives::add(Operation operation, std::vector<Operation>& told) {
  Collective& collective = *collectives_[operation.collective];
  name_call(operation);
  collective.totals.add(operation.report);
  summary_.add(collective.shape, operation.call, operation.report);
  told.push_back(std::move(operation));
}

void WatchedCollectives::count_participants() {
  for (; counted_ < collectives_.size(); ++counted_) {
    for (const CollectiveShape::Edge& edge : collectives_[counted_]->shape.edges)
      if (edge.is_thread()) participants_.insert(edge.name);
  }
}

void WatchedCollectives::settle(Time at, std::vector<Operation>& told) {
  count_participants();
  for (std::size_t number = 0; number < collectives_.size(); ++number) {
    for (OperationReport& report : collectives_[number]->analysis.settle(at))
      add({number, runs(), std::move(report)}, told);
  }
}

void WatchedCollectives::begin_anew(std::vector<Operation>& told) {
  for (Operation& operation : open()) {
    operation.run = runs() - 1;
    add(std::move(operation), told);
  }
  run_time_.begin_anew();
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
