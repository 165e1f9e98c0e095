#pragma once

// Private to scopes/.

#include <algorithm>
#include <chrono>

namespace eventspace {

/// How long a child that was late is left alone: for a first time, each time that it is late again twice as
/// long as before, up to a bound. Pure.
class BackOff {
 public:
  using Clock = std::chrono::steady_clock;

  BackOff(std::chrono::nanoseconds first, std::chrono::nanoseconds longest) noexcept
      : first_(first), longest_(longest) {}

  /// The child was late, as was seen at `now`.
  void late(Clock::time_point now) noexcept {
    rest_ = std::min<std::chrono::nanoseconds>(longest_, rest_.count() == 0 ? first_ : 2 * rest_);
    over_ = now + rest_;
  }
  /// It answered: the next time that it is late is the first again.
  void answered() noexcept { rest_ = {}; }

  /// What is left at `now` of the rest that began when the child was last late; never negative.
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
