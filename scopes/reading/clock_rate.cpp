#include "scopes/reading/clock_rate.h"

#include <algorithm>
#include <cmath>

namespace eventspace {
namespace {

constexpr double apart_ns = 1e8;
constexpr double oldest_ns = 1e10;
constexpr std::int64_t worst_ns = 100'000;  // a reading that was interrupted is useless
constexpr double possible = 1e-3;           // the maximum slew of a clock
constexpr double million = 1e6;

double ticks_between(const ClockRate::Reading& from, const ClockRate::Reading& to) {
  return static_cast<double>(static_cast<std::int64_t>(to.ticks - from.ticks));
}
double ns_between(const ClockRate::Reading& from, const ClockRate::Reading& to) {
  return static_cast<double>(to.node_ns - from.node_ns);
}
double errors_of(const ClockRate::Reading& a, const ClockRate::Reading& b) {
  return static_cast<double>(a.error_ns + b.error_ns);
}

}  // namespace

void ClockRate::learn(const Reading& reading, double ns_per_tick) {
  if (reading.error_ns > worst_ns) return;
  const std::lock_guard lock(mutex_);
  if (!readings_.empty()) {
    const Reading& last = readings_.back();
    const double expected_ns = ticks_between(last, reading) * (rate_ ? rate_->ns_per_tick : ns_per_tick);
    const double wrong_ns = std::abs(ns_between(last, reading) - expected_ns);
    if (wrong_ns > errors_of(last, reading) + std::abs(expected_ns) * possible) {
      readings_.clear();
      rate_.reset();
    } else if (expected_ns < apart_ns) {
      return;
    }
  }
  readings_.push_back(reading);
  while (readings_.size() > 2 && ns_between(readings_.front(), reading) > oldest_ns) readings_.pop_front();
  rate_ = readings_.size() < 2 ? std::nullopt : std::optional(rate_of_readings());
}

std::optional<ClockRate::Rate> ClockRate::rate() const {
  const std::lock_guard lock(mutex_);
  return rate_;
}

ClockRate::Rate ClockRate::rate_of_readings() const {
  const Reading& newest = readings_.back();
  Rate rate{ns_between(readings_.front(), newest) / ticks_between(readings_.front(), newest), 0};
  for (std::size_t i = 0; i + 1 < readings_.size(); ++i) {
    const double expected_ns = ticks_between(readings_[i], newest) * rate.ns_per_tick;
    const double wrong_ns =
        std::abs(ns_between(readings_[i], newest) - expected_ns) + errors_of(readings_[i], newest);
    rate.error_ppm = std::max(rate.error_ppm, wrong_ns / expected_ns * million);
  }
  return rate;
}

}  // namespace eventspace
