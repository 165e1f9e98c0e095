#pragma once

#include <chrono>

namespace eventspace {

/// The time until which an operation may block, on the steady clock. never() blocks without limit; now() does
/// not block at all and means the non-blocking form of an operation.
///
/// A value type; thread-safe.
///
///     operation.deadline = Deadline::after(std::chrono::milliseconds(100));
///     path.perform(operation);  // ends with Status::timed_out after 100 ms
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr Deadline never() noexcept { return Deadline(Clock::time_point::max()); }
  static constexpr Deadline now() noexcept { return Deadline(Clock::time_point::min()); }
  static Deadline after(Clock::duration wait) noexcept;  ///< never() if the clock cannot count that far

  [[nodiscard]] constexpr bool is_never() const noexcept { return at_ == Clock::time_point::max(); }
  [[nodiscard]] constexpr bool is_now() const noexcept { return at_ == Clock::time_point::min(); }
  [[nodiscard]] bool passed() const noexcept { return is_now() || (!is_never() && Clock::now() >= at_); }
  [[nodiscard]] constexpr Clock::time_point time() const noexcept { return at_; }
  /// Returns the time left, never negative: zero for now(), Clock::duration::max() for never().
  [[nodiscard]] Clock::duration left() const noexcept;

 private:
  constexpr explicit Deadline(Clock::time_point at) noexcept : at_(at) {}
  Clock::time_point at_;
};
constexpr Deadline earlier(Deadline a, Deadline b) noexcept { return b.time() < a.time() ? b : a; }

}  // namespace eventspace
