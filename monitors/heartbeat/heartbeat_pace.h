#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "monitors/watching/timeline.h"
#include "paths/views/view.h"

namespace eventspace {

/// Decides when a heartbeat pulls and how long it waits for servers, so that a stall is shown within twice
/// the set time (`--stall`). A thread counts as stalled once it was silent for the set time; the next pull
/// must begin and end before that time has passed again. Therefore pulls begin at most half the set time
/// apart, however long they take. After a server did not answer in time, pulls wait at most a quarter of the
/// set time until all answer again: otherwise one silent node would delay the verdict on the others. The
/// remaining quarter is a reserve for a busy machine. Pure. Not thread-safe.
class HeartbeatPace {
 public:
  using Time = Timeline::Time;
  using nanoseconds = std::chrono::nanoseconds;

  /// The user's options. This class chooses the options that are not set; the interval between pulls is then
  /// at most a second.
  struct Wishes {
    nanoseconds stall{std::chrono::seconds(2)};
    std::optional<nanoseconds> interval{};
    nanoseconds timeout{0};  ///< of a pull; 0 if not set
  };
  /// `patience` is the time that a pull waits for servers according to the scope.
  HeartbeatPace(const Wishes& wishes, nanoseconds patience);

  /// From the beginning of a pull to the beginning of the next.
  [[nodiscard]] nanoseconds interval() const noexcept { return interval_; }
  void set_interval(nanoseconds interval) noexcept { interval_ = interval; }
  /// A warning when the user's options make stalls appear later than promised, else nullopt. The options are
  /// obeyed in any case, because pulls have a cost that the user may want to limit.
  [[nodiscard]] std::optional<std::string> complaint() const;

  /// How long the next pull may take.
  [[nodiscard]] nanoseconds timeout() const noexcept;
  /// Records that a pull began `at` and returned `view`.
  void pulled(Time at, const View& view);
  /// How long to wait from `now` until the next pull.
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
