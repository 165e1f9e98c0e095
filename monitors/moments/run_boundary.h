#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>

#include "monitors/moments/moment.h"
#include "paths/views/view.h"

namespace eventspace {

/// Separates the records of the current run of an application from the records of earlier runs, when the
/// application is restarted before or while a monitor watches it. Its processes restart one after another,
/// and node servers keep serving records of both runs. A run begins when its first process begins; until a
/// process is known, no record is current. Pure. Not thread-safe.
class RunBoundary {
 public:
  /// Adds a report on a process of the application. Returns true if it shows that another run has begun.
  bool learn(const ProcessReport& process);
  /// When the current run began: the start of its earliest process so far. The maximum when no process is
  /// known; the minimum when the clocks of the first run's processes cannot be compared.
  [[nodiscard]] std::int64_t begun_ns() const noexcept { return begun_ns_; }
  /// The number of runs since the first report.
  [[nodiscard]] std::uint64_t runs() const noexcept { return run_ + 1; }
  /// Whether an event that began at `start` belongs to the current run.
  [[nodiscard]] bool is_current(const Moment& start) const noexcept { return start.ns >= begun_ns_; }

 private:
  struct Process {
    std::int32_t pid{0};
    std::uint64_t start_ticks{0};
    std::int64_t begun_ns{0};
    std::uint64_t run{0};
  };
  std::unordered_map<std::uint32_t, Process> processes_;
  std::uint64_t run_{0};
  std::int64_t begun_ns_{std::numeric_limits<std::int64_t>::max()};
};

}  // namespace eventspace
