#pragma once

#include <chrono>
#include <optional>

#include "monitors/cli/stop_signals.h"

namespace eventspace {

/// The time of a monitor for its verdicts and output, and the pause between two of its looks.
///
/// A monitor derives verdicts ("silent for 2 s"), ages, rates and printed times ("at 1.6s") from now(), and
/// pauses by wait(). The same monitor can therefore watch a running application (RealTime), a recording,
/// whose timeline follows the replay at any speed, or the views of a test. Deadlines, time-outs, and the
/// monitor's own cost are not on this timeline: they are read from the steady clock.
///
/// Times of different timelines cannot be compared. While a monitor uses a timeline, now() does not go back:
/// a replay that seeks backwards starts a new monitor, because the old one remembers later times.
///
/// Thread-safety: now() may be called by any thread, wait() by one.
class Timeline {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Timeline() = default;
  virtual ~Timeline() = default;
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// The present moment of the watched application, recording or test.
  [[nodiscard]] virtual Time now() const = 0;

  /// Waits until `pause` has passed on this timeline. Returns true, at once and at every later call, when the
  /// monitor must end. A pause of 0 only polls for the end.
  [[nodiscard]] virtual bool wait(std::chrono::nanoseconds pause) = 0;

  /// Makes wait() return false again until another signal comes. For a monitor that a signal has ended, and
  /// that first reads the remaining events. No effect on a recording.
  virtual void go_on() {}

  /// When a recording began: printed times count from there. Nullopt: they count from the monitor's own
  /// beginning.
  [[nodiscard]] virtual std::optional<Time> begin() const { return std::nullopt; }

  /// Whether the last pull of unread events left events behind that had ended by now, because they were too
  /// many for one pull. The monitor then pulls again before it reports on the present. Only for a recording.
  /// May be called once after each pull.
  [[nodiscard]] virtual bool has_rest() const { return false; }

  /// Whether it is the timeline of a recording.
  [[nodiscard]] virtual bool is_recorded() const noexcept { return false; }
};

/// The timeline of a running application: the steady clock.
class RealTime final : public Timeline {
 public:
  /// A timeline whose pauses never end early.
  RealTime() = default;
  /// A timeline that `signals` end. They must outlive this object.
  explicit RealTime(StopSignals& signals) noexcept : signals_(&signals) {}

  [[nodiscard]] Time now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) override;
  void go_on() override;

 private:
  StopSignals* signals_{nullptr};
};

}  // namespace eventspace
