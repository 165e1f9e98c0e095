#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "monitors/cli/stop_signals.h"
#include "monitors/watching/timeline.h"
#include "scopes/recordings/replay.h"

namespace eventspace {

/// The timeline of a recording: its present is that of the Replay, and a pause advances it without waiting.
/// Ends the monitor when all events up to `end_ns` were read, or when a signal comes.
class ReplayTime final : public Timeline {
 public:
  /// Begins at `begin_ns`, on the recorder's clock. `replay` and `signals` must outlive it.
  ReplayTime(Replay& replay, StopSignals& signals, std::int64_t begin_ns, std::int64_t end_ns);

  [[nodiscard]] Time now() const override;
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) override;
  [[nodiscard]] std::optional<Time> begin() const override;
  [[nodiscard]] bool has_rest() const override { return replay_->take_unread(); }
  [[nodiscard]] bool is_recorded() const noexcept override { return true; }

 private:
  Replay* replay_;
  StopSignals* signals_;
  std::int64_t end_ns_;
};

}  // namespace eventspace
