#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace eventspace {

/// How fast a node's clock runs beside the processor's counter, which the times of its processes count: from
/// readings of both, those of the last ten seconds, or the last two if they are older. A process finds out
/// how long a tick is once, as it starts; whoever keeps the node's time may have it run faster or slower
/// since.
///
/// Thread-safe. Bounded memory.
class ClockRate {
 public:
  struct Reading {
    std::uint64_t ticks{0};
    std::int64_t node_ns{0};   ///< by the node's clock at the same moment...
    std::int64_t error_ns{0};  ///< ...which it may miss by so much
  };
  /// `ns_per_tick`: about so long is a tick, unless more is known. A reading that contradicts that says that
  /// the node's clock was set, and what was known is forgotten.
  void learn(const Reading& reading, double ns_per_tick);

  struct Rate {
    double ns_per_tick{1};
    double error_ppm{0};  ///< no reading that is known lies further off the line through the newest one
  };
  /// Nothing until there are two readings a tenth of a second apart.
  [[nodiscard]] std::optional<Rate> rate() const;

 private:
  [[nodiscard]] Rate rate_of_readings() const;

  mutable std::mutex mutex_;
  std::deque<Reading> readings_;  // a tenth of a second apart, or more
  std::optional<Rate> rate_;      // of these; it is asked for far more often than it changes
};

}  // namespace eventspace
