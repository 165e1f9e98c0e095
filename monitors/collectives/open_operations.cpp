#include "monitors/collectives/open_operations.h"

#include <utility>

namespace eventspace {

std::vector<OpenOperations::Shown> OpenOperations::observe(std::vector<Operation> open, Time now) {
  std::vector<Shown> shown;
  std::map<Key, Known> still;
  for (Operation& operation : open) {
    if (operation.report.state != OperationState::open) continue;
    const Key key = key_of(operation);
    const auto before = known_.find(key);
    Known& known = still[key] = before == known_.end() ? Known{now} : before->second;
    const std::chrono::nanoseconds open_for = now - known.since;
    if (known.shown == operation.report.absent || open_for < open_after_) continue;
    known.shown = operation.report.absent;
    shown.push_back({std::move(operation), open_for});
  }
  known_ = std::move(still);
  return shown;
}

std::vector<OpenOperations::Shown> OpenOperations::at_end(std::vector<Operation> open, Time now) const {
  std::vector<Shown> shown;
  for (Operation& operation : open) {
    const auto known = known_.find(key_of(operation));
    if (known == known_.end() || now - known->second.since < open_after_) continue;
    shown.push_back({std::move(operation), now - known->second.since});
  }
  return shown;
}

}  // namespace eventspace
