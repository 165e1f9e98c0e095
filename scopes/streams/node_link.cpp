#include "scopes/streams/node_link.h"

#include "paths/pushes.h"

namespace eventspace::streams {

void NodeLink::connect(PushOutlet& outlet) {
  outlet_ = &outlet;
  heard_ = 0;
  control_.clear();
  mark();
  outlet.grant(window);
}

void NodeLink::lose() noexcept {
  outlet_ = nullptr;
  control_.clear();
}

void NodeLink::post(const Frame& frame) {
  append(control_, frame);
  mark();
}

void NodeLink::mark() noexcept {
  is_marked_ = true;
  if (any_marked_ != nullptr) *any_marked_ = true;
}

bool NodeLink::push(Bytes message) {
  if (!outlet_->push(message)) {
    mark();
    return false;
  }
  control_.clear();
  return true;
}

void NodeLink::count_message() {
  ++heard_;
  // Grants are for half of the window, to reduce their number.
  if (outlet_ != nullptr && heard_ % (window / 2) == 0) outlet_->grant(heard_ + window);
}

}  // namespace eventspace::streams
