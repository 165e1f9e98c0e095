#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace::bench {

/// Who truly came last to each operation of a LateCrew. All its threads read one counter, that of this
/// machine, so the records say it to some nanoseconds, whatever the clocks of the nodes show.
class VerdictTruth {
 public:
  /// `plan` must outlive it.
  explicit VerdictTruth(const Plan& plan) : plan_(&plan) {}

  /// From a view of the records of the threads.
  void learn(const View& view);

  struct Last {
    std::size_t thread{0};  ///< by its number in the plan
    double lead_ns{0};      ///< how long it came after the nearest rival
    /// How far a monitor's comparison of those two can be off by the bounds of the clocks. The nearest rival
    /// is the one with the least difference of both: of whom the last is told apart the least surely.
    double error_ns{0};
  };
  /// Of the operation `number`, whose records a monitor had with `processes`. Nothing when not all of it is
  /// known.
  [[nodiscard]] std::optional<Last> last(std::uint64_t number,
                                         const std::vector<ProcessReport>& processes) const;
  void forget(std::uint64_t number) { starts_.erase(number); }

 private:
  const Plan* plan_;
  std::map<std::uint64_t, std::map<std::size_t, std::uint64_t>> starts_;  // ticks, by operation and thread
};

}  // namespace eventspace::bench
