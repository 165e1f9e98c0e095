#pragma once

#include <cstdint>
#include <optional>

#include "monitors/watching/timeline.h"
#include "python/module/waits.h"
#include "scopes/recordings/replay.h"

namespace eventspace::python {

/// The time of an analysis that a call runs: real time, or the time of a recording, which each wait advances
/// from `begin_ns` to `end_ns`. Ends when the call is given up.
class CallTimeline final : public Timeline {
 public:
  /// All arguments must outlive it.
  explicit CallTimeline(GivenUp& given_up) noexcept : given_up_(&given_up) {}
  CallTimeline(GivenUp& given_up, Replay& replay, std::int64_t begin_ns, std::int64_t end_ns);

  [[nodiscard]] Time now() const override;
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) override;
  [[nodiscard]] std::optional<Time> begin() const override;
  [[nodiscard]] bool has_rest() const override { return replay_ != nullptr && replay_->take_unread(); }
  [[nodiscard]] bool is_recorded() const noexcept override { return replay_ != nullptr; }

 private:
  GivenUp* given_up_;
  Replay* replay_{nullptr};  // null for real time
  std::int64_t end_ns_{0};
};

}  // namespace eventspace::python
