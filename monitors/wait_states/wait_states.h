#pragma once

#include <cstdint>
#include <vector>

#include "monitors/wait_states/run_activities.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

/// The time that a call waited for another location: from its begin until `cause` began or ended, but not
/// beyond its own end.
struct WaitState {
  WaitKind kind{WaitKind::late_sender};
  bool needs_end{false};  ///< of the cause
  ActivityRef waiting{};
  ActivityRef cause{};
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  std::int64_t error_ns{0};  ///< of the clocks of the two locations
  [[nodiscard]] std::int64_t ns() const noexcept { return saturating::subtract(end_ns, begin_ns); }
  /// Whether it is longer than the error. If not, it is indistinguishable from no wait.
  [[nodiscard]] bool is_certain() const noexcept { return ns() > error_ns; }
};

struct WaitStates {
  /// By location and number of the waiting call; at most one for each call.
  std::vector<WaitState> waits{};
  /// Dependencies whose cause comes after the waiting call by more than the error of the clocks: two calls
  /// were matched wrongly, or a clock jumped. They are ignored.
  std::uint64_t contradictions{0};
};

/// Finds the wait states of a run. A call that depends on several others waited for the last of them. Calls
/// in flight have not ended, so they have no wait states. Pure.
[[nodiscard]] WaitStates find_waits(const RunActivities& run);

}  // namespace eventspace
