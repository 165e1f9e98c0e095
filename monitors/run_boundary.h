#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>

#include "monitors/moment.h"
#include "tuplespace/view.h"

namespace eventspace {

/// Tells what an application recorded from what its run before did, when it is started anew while a monitor
/// watches: all its processes are, one after another, and node servers go on with records of both. A run
/// begins when the first process of it does. Pure. Not thread-safe.
class RunBoundary {
 public:
  /// What a view says of a process of the application. Whether with that another run has begun.
  bool learn(const ProcessReport& process);
  /// When the run that goes on began, by the earliest of its processes so far.
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
  std::int64_t begun_ns_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace eventspace
