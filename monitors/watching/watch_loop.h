#pragma once

// Private to monitors/.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "monitors/watching/timeline.h"

namespace eventspace {

/// The loop of a monitor that looks again and again until it has seen enough, its limits are reached, or its
/// timeline says that it is to end. What a look does, and how long the pause after it is, is the caller's
/// part. Used by one thread.
///
///     WatchLoop loop(timeline, {.duration = 10s});
///     loop.run([&]() -> WatchLoop::Pause {
///       print(views.pull({.at = loop.now()}), loop.elapsed());
///       return std::cout ? WatchLoop::Pause(1s) : std::nullopt;
///     });
class WatchLoop {
 public:
  /// A look that ends at one of these limits is the last.
  struct Limits {
    std::optional<std::chrono::nanoseconds> duration{};  ///< since the beginning; nothing: no limit
    std::size_t looks{0};                                ///< 0: no limit
  };
  /// How long to pause until the next look; nothing: the look was the last.
  using Pause = std::optional<std::chrono::nanoseconds>;

  /// Begins now. `timeline` must outlive it.
  WatchLoop(Timeline& timeline, Limits limits);
  explicit WatchLoop(Timeline& timeline) : WatchLoop(timeline, Limits{}) {}

  /// Looks at least once. Throws what `look` throws.
  void run(const std::function<Pause()>& look);

  [[nodiscard]] Timeline::Time now() const { return timeline_->now(); }
  /// From the beginning until now.
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return since_begin(now()); }
  [[nodiscard]] std::chrono::nanoseconds since_begin(Timeline::Time time) const { return time - begun_; }
  /// Pauses outside of run(). Whether the monitor is to end.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) { return timeline_->wait(pause); }

 private:
  [[nodiscard]] bool is_over(std::size_t looks) const;

  Timeline* timeline_;
  Limits limits_;
  Timeline::Time begun_;
};

}  // namespace eventspace
