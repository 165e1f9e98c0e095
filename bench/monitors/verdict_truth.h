#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace::bench {

/// Finds the thread that truly came last to each operation of a LateCrew. All its threads read the counter of
/// this machine, so the records are exact to some nanoseconds, whatever the clocks of the nodes show.
class VerdictTruth {
 public:
  /// `plan` must outlive it.
  explicit VerdictTruth(const Plan& plan) : plan_(&plan) {}

  /// Adds a view of the records of the threads.
  void learn(const View& view);

  struct Last {
    std::size_t thread{0};  ///< by its number in the plan
    double lead_ns{0};      ///< how long it came after the nearest rival
    /// The maximum error of a monitor's comparison of these two by the bounds of the clocks. The nearest
    /// rival is the thread with the smallest difference of lead and error: the hardest one to distinguish
    /// from the last.
    double error_ns{0};
  };
  /// The truth on operation `number`, whose records a monitor received with the reports `processes`. Nullopt
  /// if some records are unknown.
  [[nodiscard]] std::optional<Last> last(std::uint64_t number,
                                         const std::vector<ProcessReport>& processes) const;
  void forget(std::uint64_t number) { starts_.erase(number); }

 private:
  const Plan* plan_;
  std::map<std::uint64_t, std::map<std::size_t, std::uint64_t>> starts_;  // ticks, by operation and thread
};

}  // namespace eventspace::bench
