#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monitors/delays/delay_origins.h"

namespace eventspace {

/// A summary of the waits of a program: the threads that delay the others, if some stand out.
struct DelayReport {
  enum class Finding : std::uint8_t {
    nothing,     ///< hardly any waiting: less than `min_waiting` of the threads' time
    unknown,     ///< the origin of more than half of it is unknown, because records are missing
    spread,      ///< no thread stands out
    first_cause  ///< `causes` threads stand out
  };
  struct Thread {
    std::uint32_t thread{0};
    DelayOrigins::Sum sum{};
    double share{0};  ///< share of its cost in all waiting with a known origin
  };
  Finding finding{Finding::nothing};
  std::vector<Thread> threads{};  ///< the participating threads, by descending cost to others
  std::size_t causes{0};          ///< number of leading threads that are first causes
  double waited{0};               ///< nanoseconds, of all threads, with a known origin
  double lost{0};                 ///< with an unknown origin
  double observed{0};             ///< the threads' time
};

/// A thread stands out if the waits that it caused, minus its own waits for others, are at least a fifth of
/// all waits, even after subtracting three standard errors; if it caused at least `min_waits` waits; and if
/// at most half of all threads do so. The standard error is that of a sum of as many random delays as pieces
/// of its work were awaited: a few long delays do not make a first cause. In a program whose threads wait for
/// each other in turn, the cost and the waits of each are similar. Pure.
[[nodiscard]] DelayReport report_delays(const DelayOrigins& origins);
inline constexpr double min_waiting = 0.02;
inline constexpr double min_waits = 20;

}  // namespace eventspace
