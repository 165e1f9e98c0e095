#pragma once

// Private to monitors/.

#include <cstdint>
#include <limits>
#include <unordered_map>

#include "monitors/watching/moment.h"
#include "paths/views/view.h"

namespace eventspace {

/// Tells what an application recorded from what its run before did, when it is started anew while a monitor
/// watches, or was before it began to: all its processes are, one after another, and node servers go on with
/// records of both. A run begins when the first process of it does; as long as none is known, nothing is
/// current. Pure. Not thread-safe.
class RunBoundary {
 public:
  /// What a view says of a process of the application. Whether with that another run has begun.
  bool learn(const ProcessReport& process);
  /// When the run that goes on began, by the earliest of its processes so far; the end of time when there is
  /// none, and the beginning when it is not known how the clocks of the first run's processes are related.
  [[nodiscard]] std::int64_t begun_ns() const noexcept { return begun_ns_; }
  /// So many runs there were since the first report.
  [[nodiscard]] std::uint64_t runs() const noexcept { return run_ + 1; }
  /// Whether what began then was recorded in the run that goes on.
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
