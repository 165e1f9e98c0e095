#include "monitors/top/playback.h"

#include <algorithm>
#include <utility>

#include "tuplespace/system/saturating.h"

namespace eventspace::top {

using std::chrono::nanoseconds;

Playback::Playback(Replay& replay, nanoseconds begin)
    : replay_(&replay), position_(begin.count()), since_(std::chrono::steady_clock::now()) {
  replay_->set_now_ns(replay_->begin_ns() + position_);
}

nanoseconds Playback::length() const noexcept { return nanoseconds(replay_->end_ns() - replay_->begin_ns()); }

std::int64_t Playback::position_locked() const {
  if (!plays_) return position_;
  const auto real = std::chrono::steady_clock::now() - since_;
  const double moved = static_cast<double>(nanoseconds(real).count()) * speed_;
  return std::min(saturating::add(position_, saturating::round(moved)), length().count());
}

// The current position continues from here, whatever is changed next.
void Playback::stay_locked(std::int64_t position) {
  position_ = position;
  since_ = std::chrono::steady_clock::now();
}

Timeline::Time Playback::now() const {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = replay_->begin_ns() + position_locked();
  replay_->set_now_ns(now);
  return Time(nanoseconds(now));
}

bool Playback::wait(nanoseconds pause) {
  const std::lock_guard lock(mutex_);
  const std::int64_t position = position_locked();
  if (pause.count() > 0 && position >= length().count()) return true;
  stay_locked(std::min(saturating::add(position, pause.count()), length().count()));
  return false;
}

nanoseconds Playback::position() const {
  const std::lock_guard lock(mutex_);
  return nanoseconds(position_locked());
}

Covered Playback::covered() const noexcept {
  return {replay_->recording().session().realtime_ns + replay_->begin_ns(), length()};
}

std::int64_t Playback::realtime_ns() const { return covered().begin_realtime_ns + position().count(); }

void Playback::play(bool plays) {
  const std::lock_guard lock(mutex_);
  stay_locked(position_locked());
  plays_ = plays;
}

bool Playback::plays() const {
  const std::lock_guard lock(mutex_);
  return plays_;
}

void Playback::set_speed(double speed) {
  const std::lock_guard lock(mutex_);
  stay_locked(position_locked());
  speed_ = std::clamp(speed, slowest, fastest);
}

double Playback::speed() const {
  const std::lock_guard lock(mutex_);
  return speed_;
}

void Playback::seek(nanoseconds position) {
  const std::lock_guard lock(mutex_);
  stay_locked(std::clamp(position.count(), std::int64_t{0}, length().count()));
  has_jumped_ = true;
}

void Playback::step_back(nanoseconds time) {
  const std::lock_guard lock(mutex_);
  stay_locked(position_locked() - time.count());
}

bool Playback::take_jump() {
  const std::lock_guard lock(mutex_);
  return std::exchange(has_jumped_, false);
}

nanoseconds Playback::in_real_time(nanoseconds pause) const {
  constexpr nanoseconds shortest = std::chrono::milliseconds(50);
  const auto scaled = nanoseconds(saturating::round(static_cast<double>(pause.count()) / speed()));
  return std::clamp(scaled, shortest, std::max(pause, shortest));
}

}  // namespace eventspace::top
