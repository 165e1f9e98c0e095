#include "paths/remote/shared_element_stage.h"

namespace eventspace {

bool SharedElementStage::ready(Operation& operation) {
  if (operation.status == Status::under_way && open(operation)) {
    element_->attempt(operation);
    settle(operation);
  }
  return operation.status != Status::under_way || operation.deadline.passed();
}

void SharedElementStage::finish(Operation& operation) {
  while (operation.status == Status::under_way && !open(operation)) {
    if (operation.status != Status::under_way) return;
    if (operation.deadline.passed()) {
      operation.status = Status::timed_out;
      return;
    }
    space_->wait_a_little(operation.deadline);
  }
  if (operation.status == Status::under_way) element_->perform(operation);
  settle(operation);
}

void SharedElementStage::call(Operation& operation) {
  if (element_ == nullptr) return Stage::call(operation);
  element_->perform(operation);
  settle(operation);
}

/// Opens the element if it is not open. Returns false and sets the reason if it does not exist yet; the
/// operation has ended if its status is no longer under_way.
bool SharedElementStage::open(Operation& operation) {
  if (element_ != nullptr) return true;
  SharedSpace::Found found = space_->find(process_, element_name_);
  file_ = std::move(found.file);
  element_ = found.element;
  operation.reason = std::move(found.why);
  if (element_ != nullptr) return true;
  if (found.status != Status::timed_out) operation.status = found.status;
  return false;
}

/// After an operation has ended: removes its waker, and closes an element whose process is gone, so that the
/// next operation finds the restarted process.
void SharedElementStage::settle(Operation& operation) {
  if (element_ == nullptr || operation.status == Status::under_way) return;
  if (operation.waker != nullptr) element_->forget(*operation.waker);
  if (operation.status != Status::closed || when_lost_ == WhenLost::end || element_->is_open()) return;
  element_ = nullptr;
  space_->abandon(process_, file_);
  file_.reset();
}

}  // namespace eventspace
