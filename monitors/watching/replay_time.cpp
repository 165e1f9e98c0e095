#include "monitors/watching/replay_time.h"

#include <algorithm>

namespace eventspace {

ReplayTime::ReplayTime(Replay& replay, StopSignals& signals, std::int64_t begin_ns, std::int64_t end_ns)
    : replay_(&replay), signals_(&signals), end_ns_(end_ns) {
  replay_->set_now_ns(begin_ns);
}

Timeline::Time ReplayTime::now() const { return Time(std::chrono::nanoseconds(replay_->now_ns())); }

std::optional<Timeline::Time> ReplayTime::begin() const {
  return Time(std::chrono::nanoseconds(replay_->begin_ns()));
}

bool ReplayTime::wait(std::chrono::nanoseconds pause) {
  if (signals_->stopped()) return true;
  if (pause.count() == 0) return false;
  const std::int64_t now = replay_->now_ns();
  if (now >= end_ns_) return true;
  replay_->set_now_ns(std::min(now + pause.count(), end_ns_));
  return false;
}

}  // namespace eventspace
