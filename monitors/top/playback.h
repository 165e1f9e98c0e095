#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "monitors/moments/asked_moment.h"
#include "monitors/watching/timeline.h"
#include "scopes/recordings/replay.h"

namespace eventspace::top {

/// The timeline of a recording that is replayed: its current time follows real time, at a speed that the user
/// sets. It can be paused and set to any time. After a jump back, or far ahead, the monitor must start over
/// (see Timeline); `take_jump` reports such jumps.
///
///     plays --- pause() ---> stands still --- play() ---> plays
///       \--- the end of the recording: stands there; plays on after seek()
///
/// Thread-safe: one thread sets it for the user, another reads it.
class Playback final : public Timeline {
 public:
  static constexpr double slowest = 1.0 / 16;
  static constexpr double fastest = 1024;

  /// Plays from `begin` on, since recording began. `replay` must outlive it.
  Playback(Replay& replay, std::chrono::nanoseconds begin);

  /// The current time. Also sets the replay to it, so that scopes read the data of that time.
  [[nodiscard]] Time now() const override;
  [[nodiscard]] std::optional<Time> begin() const override {
    return Time(std::chrono::nanoseconds(replay_->begin_ns()));
  }
  [[nodiscard]] bool has_rest() const override { return replay_->take_unread(); }
  /// Advances by `pause` without waiting. Returns true at the end of the recording.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) override;

  /// The current time since recording began. Does not move the replay.
  [[nodiscard]] std::chrono::nanoseconds position() const;
  [[nodiscard]] std::chrono::nanoseconds length() const noexcept;
  /// Converts a time of this timeline to a position in the recording.
  [[nodiscard]] std::chrono::nanoseconds position_of(Time time) const noexcept {
    return time.time_since_epoch() - std::chrono::nanoseconds(replay_->begin_ns());
  }
  /// The current time as nanoseconds since 1970, and the range of the recording.
  [[nodiscard]] std::int64_t realtime_ns() const;
  [[nodiscard]] Covered covered() const noexcept;

  void play(bool plays);
  /// False if it was paused. It plays even when it has come to the end.
  [[nodiscard]] bool plays() const;
  [[nodiscard]] bool is_at_end() const { return position() == length(); }
  /// 1 is real time; clamped to the limits.
  void set_speed(double speed);
  [[nodiscard]] double speed() const;

  /// Sets the current time, clamped to the recording.
  void seek(std::chrono::nanoseconds position);
  /// Goes back by `time`, even to before the beginning, for a look before the current time; wait() then
  /// advances again.
  void step_back(std::chrono::nanoseconds time);
  /// Returns whether seek() was called since the last call.
  [[nodiscard]] bool take_jump();

  /// The real duration of a pause of this timeline at the current speed; at most the pause itself, so that a
  /// slow replay still moves, and at least 50 ms.
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
