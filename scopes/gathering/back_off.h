#pragma once

#include <algorithm>
#include <chrono>

namespace eventspace {

/// Computes how long a late child rests before the next attempt: `first`, and twice as long each time that it
/// is late again, up to `longest`. Does no I/O and reads no clock. Not thread-safe.
class BackOff {
 public:
  using Clock = std::chrono::steady_clock;

  BackOff(std::chrono::nanoseconds first, std::chrono::nanoseconds longest) noexcept
      : first_(first), longest_(longest) {}

  /// Records that the child was late and begins a rest at `now`.
  void late(Clock::time_point now) noexcept {
    rest_ = std::min<std::chrono::nanoseconds>(longest_, rest_.count() == 0 ? first_ : 2 * rest_);
    over_ = now + rest_;
  }
  /// Records that the child answered, so that its next rest is the shortest again.
  void answered() noexcept { rest_ = {}; }

  /// Returns how much of the rest is left at `now`, at least 0.
  [[nodiscard]] std::chrono::nanoseconds left(Clock::time_point now) const noexcept {
    return std::max<std::chrono::nanoseconds>(over_ - now, std::chrono::nanoseconds(0));
  }

 private:
  std::chrono::nanoseconds first_;
  std::chrono::nanoseconds longest_;
  std::chrono::nanoseconds rest_{};
  Clock::time_point over_;
};

}  // namespace eventspace
