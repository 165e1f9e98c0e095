#pragma once

// Private to monitors/.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "monitors/watching/timeline.h"

namespace eventspace {

/// The loop of a monitor: calls a function of the caller, a "look", again and again until the look asks to
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

  /// Looks at least once. Throws what `look` throws.
  void run(const std::function<Pause()>& look);

  [[nodiscard]] Timeline::Time now() const { return timeline_->now(); }
  /// The time since the construction.
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return now() - begun_; }
  /// The time to print: since the construction or, of a recording, since that began.
  [[nodiscard]] std::chrono::nanoseconds since_begin(Timeline::Time time) const { return time - origin_; }
  /// See Timeline::has_rest.
  [[nodiscard]] bool has_rest() const { return timeline_->has_rest(); }
  /// Pauses outside of run(). Returns true when the monitor must end.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) { return timeline_->wait(pause); }

 private:
  [[nodiscard]] bool is_over(std::size_t looks) const;

  Timeline* timeline_;
  Limits limits_;
  Timeline::Time begun_;
  Timeline::Time origin_;
};

}  // namespace eventspace
