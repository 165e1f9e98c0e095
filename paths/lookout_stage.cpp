#include "paths/lookout_stage.h"

#include <fmt/format.h>

#include <chrono>

namespace eventspace {
namespace {

constexpr std::chrono::milliseconds look_interval{200};

Deadline earlier(Deadline a, Deadline b) { return a.time() <= b.time() ? a : b; }

}  // namespace

bool LookoutStage::is_peer_lost() {
  lookout_.link->progress();
  return lookout_.link->has_ended();
}

bool LookoutStage::ready(Operation& operation) { return element_.ready(operation) || is_peer_lost(); }

void LookoutStage::finish(Operation& operation) {
  const Deadline until = operation.deadline;
  bool lost = lookout_.link->has_ended();
  while (true) {
    operation.deadline = lost ? Deadline::now() : earlier(until, Deadline::after(look_interval));
    element_.finish(operation);
    if (lost || operation.status != Status::timed_out || until.passed()) break;
    operation.status = Status::under_way;
    lost = is_peer_lost();
  }
  operation.deadline = until;
  if (!lost || (operation.status != Status::empty && operation.status != Status::full)) return;
  operation.status = Status::closed;
  operation.reason = fmt::format("the connection to {} (on the way to {}) was lost",
                                 lookout_.link->endpoint(), lookout_.peer);
}

}  // namespace eventspace
