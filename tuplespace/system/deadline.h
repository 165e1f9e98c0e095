#pragma once

#include <chrono>

namespace eventspace {

/// The moment until which an operation may wait, on the steady clock. A value type; thread-safe.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr Deadline never() noexcept { return Deadline(Clock::time_point::max()); }
  static constexpr Deadline now() noexcept { return Deadline(Clock::time_point::min()); }  ///< non-blocking
  static Deadline after(Clock::duration wait) noexcept;  ///< never() when beyond what the clock can count

  [[nodiscard]] constexpr bool is_never() const noexcept { return at_ == Clock::time_point::max(); }
  [[nodiscard]] constexpr bool is_now() const noexcept { return at_ == Clock::time_point::min(); }
  [[nodiscard]] bool passed() const noexcept { return is_now() || (!is_never() && Clock::now() >= at_); }
  [[nodiscard]] constexpr Clock::time_point time() const noexcept { return at_; }
  /// The time left, never negative; Clock::duration::max() for never(), zero for now().
  [[nodiscard]] Clock::duration left() const noexcept;

 private:
  constexpr explicit Deadline(Clock::time_point at) noexcept : at_(at) {}
  Clock::time_point at_;
};
constexpr Deadline earlier(Deadline a, Deadline b) noexcept { return b.time() < a.time() ? b : a; }

}  // namespace eventspace
