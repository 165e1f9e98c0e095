#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monitors/delays/delay_origins.h"

namespace eventspace {

/// What the waits of a program come to: which threads hold the others up, if some stand out.
struct DelayReport {
  enum class Finding : std::uint8_t {
    nothing,     ///< hardly any waiting was seen: less than `least_waiting` of the threads' time
    unknown,     ///< of more than half of it the origin is unknown, because records are missing
    spread,      ///< no thread stands out
    first_cause  ///< `causes` do
  };
  struct Thread {
    std::uint32_t thread{0};
    DelayOrigins::Sum sum{};
    double share{0};  ///< of its cost in all waiting whose origin is known
  };
  Finding finding{Finding::nothing};
  std::vector<Thread> threads{};  ///< those that took part, the one that cost the others most first
  std::size_t causes{0};          ///< so many of these, the first ones
  double waited{0};               ///< nanoseconds, of all threads, with an origin that is known
  double lost{0};                 ///< with one that is not
  double observed{0};             ///< the threads' time
};

/// A thread stands out if the waits that began with it, less those in which it waited for others itself, are
/// at least a fifth of all, also if they are taken less three standard errors; if it caused at least
/// `least_waits` waits; and if not more than half of all threads do. The standard error is that of a sum of
/// as many random delays as pieces of its work were waited for: a few long delays make no first cause. In a
/// program whose threads wait for each other in turn, costs and waits of each are alike. Pure.
[[nodiscard]] DelayReport report_delays(const DelayOrigins& origins);
inline constexpr double least_waiting = 0.02;
inline constexpr double least_waits = 20;

}  // namespace eventspace
