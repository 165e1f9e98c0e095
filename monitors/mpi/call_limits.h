#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace eventspace {

/// How long a call on each communicator may be in flight before it counts as a stall. A program whose ranks
/// are never in step waits for seconds in every step and is healthy, so the limit is learned from the calls
/// that have ended on the communicator:
///
///     limit = max(floor, 2 * longest of the newest `kept` calls that ended there)
///
/// The longest is used and not a quantile because the last wait of a healthy program is as long as its
/// longest one. Old calls are forgotten, so a long wait at the start of the program does not hide a later
/// stall. Pure. Not thread-safe.
class CallLimits {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  static constexpr std::size_t kept = 4096;
  static constexpr std::size_t max_communicators = 16384;  ///< others have the floor

  explicit CallLimits(nanoseconds floor) noexcept : floor_(floor) {}

  /// A call that ended.
  void add(std::uint32_t communicator, nanoseconds duration);
  [[nodiscard]] nanoseconds limit(std::uint32_t communicator) const noexcept;
  [[nodiscard]] nanoseconds floor() const noexcept { return floor_; }

 private:
  // The longest call of a window, in constant time: a queue of the calls that no later call exceeds.
  struct Window {
    struct Call {
      std::uint64_t number;
      nanoseconds duration;
    };
    std::uint64_t calls{0};
    std::deque<Call> greatest{};
  };
  nanoseconds floor_;
  std::map<std::uint32_t, Window> windows_;
};

}  // namespace eventspace
