#include "paths/remote/lookout_stage.h"

#include <chrono>

namespace eventspace {
namespace {

constexpr std::chrono::milliseconds look_interval{200};

}  // namespace

void LookoutStage::finish(Operation& operation) {
  const Deadline until = operation.deadline;
  // An operation that begins after the loss is tried once without waiting: the process may have left tuples.
  bool lost = lookout_->is_lost();
  while (true) {
    operation.deadline = lost ? Deadline::now() : earlier(until, Deadline::after(look_interval));
    end_->finish(operation);
    // The attempt after the loss was noticed is the last one; it delivers tuples that were written before.
    if (lost || operation.status != Status::timed_out || until.passed()) break;
    operation.status = Status::under_way;
    lost = lookout_->look();
  }
  operation.deadline = until;
  if (!lost || (operation.status != Status::empty && operation.status != Status::full)) return;
  operation.status = Status::closed;
  operation.reason = lookout_->reason();
}

}  // namespace eventspace
