#pragma once

// Private to monitors/.

#include <chrono>
#include <optional>
#include <string>

#include "paths/views/view.h"

namespace eventspace {

/// When a heartbeat pulls and for how long, so that a stall is told within twice the set time. A thread has
/// to be silent for the set time first; then there is as much time again until the next pull begins and has
/// ended. So pulls begin half a set time after each other at most, however long they take. Once a server has
/// been waited for in vain they take a quarter of it at most, until all answer again: else the silence of one
/// node would delay what is said of the others. The rest is for a machine that is busy. Pure. Not
/// thread-safe.
class HeartbeatPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using nanoseconds = std::chrono::nanoseconds;

  /// What was asked for; nothing: this decides. Then pulls are a second apart at most.
  struct Wishes {
    nanoseconds stall{std::chrono::seconds(2)};
    std::optional<nanoseconds> interval{};
    nanoseconds timeout{0};  ///< of pulls; 0: nothing
  };
  /// `patience`: what the scope says that a pull waits for servers.
  HeartbeatPace(const Wishes& wishes, nanoseconds patience);

  /// From the beginning of a pull to that of the next.
  [[nodiscard]] nanoseconds interval() const noexcept { return interval_; }
  /// Why stalls may be told later than promised; nothing when they are not. What was asked for is done all
  /// the same: it may be asked for as pulls cost too much.
  [[nodiscard]] std::optional<std::string> complaint() const;

  /// What the next pull may take.
  [[nodiscard]] nanoseconds timeout() const noexcept;
  /// A pull that began `at` had `view`.
  void pulled(Time at, const View& view);
  /// How long to wait until the next begins.
  [[nodiscard]] nanoseconds pause(Time now) const;

 private:
  [[nodiscard]] nanoseconds half() const noexcept { return wishes_.stall / 2; }

  Wishes wishes_;
  nanoseconds patience_;
  nanoseconds interval_;
  Time begun_;
  bool is_one_silent_{false};
};

}  // namespace eventspace
