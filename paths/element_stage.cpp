#include "paths/element_stage.h"

namespace eventspace {

bool ElementStage::ready(Operation& operation) {
  if (operation.status == Status::under_way) element_->attempt(operation);
  return operation.status != Status::under_way || operation.deadline.passed();
}

void ElementStage::finish(Operation& operation) {
  if (operation.status == Status::under_way) element_->perform(operation);
  if (operation.waker != nullptr) element_->forget(*operation.waker);
}

void ElementStage::call(Operation& operation) {
  element_->perform(operation);
  if (operation.waker != nullptr) element_->forget(*operation.waker);
}

}  // namespace eventspace
