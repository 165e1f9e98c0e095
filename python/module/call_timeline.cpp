#include "python/module/call_timeline.h"

#include <algorithm>

namespace eventspace::python {

CallTimeline::CallTimeline(GivenUp& given_up, Replay& replay, std::int64_t begin_ns, std::int64_t end_ns)
    : given_up_(&given_up), replay_(&replay), end_ns_(end_ns) {
  replay_->set_now_ns(begin_ns);
}

Timeline::Time CallTimeline::now() const {
  return replay_ == nullptr ? Time::clock::now() : Time(std::chrono::nanoseconds(replay_->now_ns()));
}

std::optional<Timeline::Time> CallTimeline::begin() const {
  if (replay_ == nullptr) return std::nullopt;
  return Time(std::chrono::nanoseconds(replay_->begin_ns()));
}

bool CallTimeline::wait(std::chrono::nanoseconds pause) {
  if (given_up_->wait_for(replay_ == nullptr ? pause : std::chrono::nanoseconds(0))) return true;
  if (replay_ == nullptr || pause.count() == 0) return false;
  const std::int64_t now = replay_->now_ns();
  if (now >= end_ns_) return true;
  replay_->set_now_ns(std::min(now + pause.count(), end_ns_));
  return false;
}

}  // namespace eventspace::python
