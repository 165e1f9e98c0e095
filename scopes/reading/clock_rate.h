#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace eventspace {

/// Measures the rate of a node's clock in relation to the processor's counter, in which processes record
/// times. A process measures this once, when it starts, but the node's clock may be slewed later. Uses the
/// readings of both clocks from the last ten seconds, or the last two readings if those are older.
///
/// Thread-safe. Memory is bounded. Does not read a clock.
class ClockRate {
 public:
  struct Reading {
    std::uint64_t ticks{0};
    std::int64_t node_ns{0};   ///< the node's clock at the same moment
    std::int64_t error_ns{0};  ///< bound of the error of node_ns
  };
  /// Adds a reading. `ns_per_tick` is the approximate length of a tick, used until the rate is known. A
  /// reading that contradicts the rate means that the node's clock was set, and all older readings are
  /// dropped.
  void learn(const Reading& reading, double ns_per_tick);

  struct Rate {
    double ns_per_tick{1};
    double error_ppm{0};  ///< bound of the deviation of all kept readings from a line through the newest one
  };
  /// Returns nothing until there are two readings at least a tenth of a second apart.
  [[nodiscard]] std::optional<Rate> rate() const;

 private:
  [[nodiscard]] Rate rate_of_readings() const;

  mutable std::mutex mutex_;
  std::deque<Reading> readings_;  // at least a tenth of a second apart
  std::optional<Rate> rate_;      // of these readings; cached, because it is read more often than it changes
};

}  // namespace eventspace
