#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "monitors/watching/timeline.h"

namespace eventspace {

/// The loop of a monitor: calls a function of the caller, a "look", repeatedly until the look requests the
/// end, a limit is reached, or the timeline ends the monitor. The look returns the pause after it. Used by
/// one thread.
///
///     WatchLoop loop(timeline, {.duration = 10s});
///     loop.run([&]() -> WatchLoop::Pause {
///       print(views.pull({.at = loop.now()}), loop.elapsed());
///       return std::cout ? WatchLoop::Pause(1s) : std::nullopt;
///     });
class WatchLoop {
 public:
  /// The first look that ends at or after a limit is the last.
  struct Limits {
    std::optional<std::chrono::nanoseconds> duration{};  ///< since the construction; nullopt: no limit
    std::size_t looks{0};                                ///< 0: no limit
  };
  /// The pause until the next look; nullopt: this look was the last.
  using Pause = std::optional<std::chrono::nanoseconds>;

  /// `timeline` must outlive this object.
  WatchLoop(Timeline& timeline, Limits limits);
  explicit WatchLoop(Timeline& timeline) : WatchLoop(timeline, Limits{}) {}

  /// The unread events of a monitor that is to end, for a running session.
  struct Rest {
    std::function<void()> find_end{};        ///< determines which events have ended by now
    std::function<std::uint64_t()> count{};  ///< how many of these events are unread
    std::function<bool()> is_behind{};       ///< whether the last pull may have left events behind
  };
  /// Limit for the time in which a monitor that is to end reads the remaining events.
  static constexpr std::chrono::seconds longest_rest{2};

  /// Makes run() read the remaining events before it returns, with one more look, in which has_rest() returns
  /// whether to pull again. It does so when a signal comes in a pause, and when the duration is over and the
  /// monitor is behind. It ends when all events are read that had ended at that moment, after `longest_rest`,
  /// or with another signal; `rest.count` then returns how many are unread. No effect on a recording.
  void read_rest(Rest rest) { rest_ = std::move(rest); }

  /// Looks at least once. Passes on exceptions of `look`.
  void run(const std::function<Pause()>& look);

  [[nodiscard]] Timeline::Time now() const { return timeline_->now(); }
  /// The time since the construction.
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return now() - begun_; }
  /// The time to print: since the construction, or since the beginning of a recording.
  [[nodiscard]] std::chrono::nanoseconds since_begin(Timeline::Time time) const { return time - origin_; }
  /// Whether to pull again in this look: see Timeline::has_rest for a recording, and read_rest() for a
  /// session.
  [[nodiscard]] bool has_rest();
  /// Pauses outside of run(). Returns true when the monitor must end.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) { return timeline_->wait(pause); }

 private:
  [[nodiscard]] bool is_over(std::size_t looks) const;
  [[nodiscard]] bool is_time_up() const { return limits_.duration && elapsed() >= *limits_.duration; }
  void end_after(const Pause& pause, const std::function<Pause()>& look);

  Timeline* timeline_;
  Limits limits_;
  Timeline::Time begun_;
  Timeline::Time origin_;
  Rest rest_;
  std::optional<Timeline::Time> rest_until_;  // set in the look that reads the remaining events
};

}  // namespace eventspace
