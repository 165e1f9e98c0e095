#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "monitors/moments/asked_moment.h"
#include "monitors/watching/timeline.h"
#include "scopes/recordings/replay.h"

namespace eventspace::top {

/// The timeline of a recording that is watched as if it happened: its present follows real time, at a speed
/// that the user sets. It can stand still and be set to any moment. After it was set back, or far ahead, the
/// monitor begins anew, as Timeline says; `take_jump` tells.
///
///     plays --- pause() ---> stands still --- play() ---> plays
///       \--- the end of the recording: stands there; plays on after seek()
///
/// Thread-safe: a user's thread sets it, another one looks.
class Playback final : public Timeline {
 public:
  static constexpr double slowest = 1.0 / 16;
  static constexpr double fastest = 1024;

  /// Plays from `begin` on, since recording began. `replay` must outlive it.
  Playback(Replay& replay, std::chrono::nanoseconds begin);

  /// The present moment, to which it also sets the replay, so that scopes read what was known then.
  [[nodiscard]] Time now() const override;
  [[nodiscard]] std::optional<Time> begin() const override {
    return Time(std::chrono::nanoseconds(replay_->begin_ns()));
  }
  [[nodiscard]] bool has_rest() const override { return replay_->take_unread(); }
  /// Moves on by `pause` without waiting. Returns true at the end of the recording.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) override;

  /// The present since recording began. Leaves the replay where it is.
  [[nodiscard]] std::chrono::nanoseconds position() const;
  [[nodiscard]] std::chrono::nanoseconds length() const noexcept;
  /// Where a time of this timeline is in the recording.
  [[nodiscard]] std::chrono::nanoseconds position_of(Time time) const noexcept {
    return time.time_since_epoch() - std::chrono::nanoseconds(replay_->begin_ns());
  }
  /// The present as nanoseconds since 1970, and what the recording covers.
  [[nodiscard]] std::int64_t realtime_ns() const;
  [[nodiscard]] Covered covered() const noexcept;

  void play(bool plays);
  /// False if it was paused. It plays even when it has come to the end.
  [[nodiscard]] bool plays() const;
  [[nodiscard]] bool is_at_end() const { return position() == length(); }
  /// 1: as fast as it happened; kept within the limits.
  void set_speed(double speed);
  [[nodiscard]] double speed() const;

  /// Sets the present; moments outside of the recording are its beginning or its end.
  void seek(std::chrono::nanoseconds position);
  /// Goes back by `time`, even to before the beginning, for a look before the present; wait() goes on again.
  void step_back(std::chrono::nanoseconds time);
  /// Returns whether seek() was called since the last call.
  [[nodiscard]] bool take_jump();

  /// How long a pause of this timeline takes, at the present speed; at most as long as the pause itself, so
  /// that a slow replay still moves, and at least 50 ms.
  [[nodiscard]] std::chrono::nanoseconds in_real_time(std::chrono::nanoseconds pause) const;

 private:
  [[nodiscard]] std::int64_t position_locked() const;
  void stay_locked(std::int64_t position);

  Replay* replay_;
  mutable std::mutex mutex_;  // guards all below
  std::int64_t position_{0};  // since recording began, at since_
  Time since_;                // real time
  double speed_{1};
  bool plays_{true};
  bool has_jumped_{false};
};

}  // namespace eventspace::top
