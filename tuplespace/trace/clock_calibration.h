#pragma once

#include <cstdint>

namespace eventspace {

/// What the ticks in trace tuples count.
enum class ClockSource : std::uint32_t {
  monotonic = 1,    ///< CLOCK_MONOTONIC, a tick is a nanosecond
  tsc = 2,          ///< the processor's invariant time stamp counter
  realtime = 3,     ///< CLOCK_REALTIME, nanoseconds since 1970: made of one of the others, never in a segment
  synchronised = 4  ///< CLOCK_MONOTONIC of another node, where the times were converted; never in a segment
};

/// How the ticks of one process relate to the clocks of its node. Plain data: part of the segment's
/// layout and of the wire format.
struct ClockCalibration {
  ClockSource source{ClockSource::monotonic};
  std::uint32_t reserved{0};
  std::uint64_t ticks{0};         ///< at the moment of calibration, as are the next two
  std::uint64_t monotonic_ns{0};  ///< CLOCK_MONOTONIC
  std::uint64_t realtime_ns{0};   ///< CLOCK_REALTIME: nanoseconds since 1970
  double ns_per_tick{1.0};
  double error_ppm{0.0};  ///< bound on the relative error of ns_per_tick, in millionths

  /// Nanoseconds between two readings; negative when `to` is earlier.
  [[nodiscard]] double ns_between(std::uint64_t from, std::uint64_t to) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(to - from)) * ns_per_tick;
  }
  /// A reading as nanoseconds since 1970 by this node's clock.
  [[nodiscard]] std::int64_t to_realtime_ns(std::uint64_t reading) const noexcept {
    return static_cast<std::int64_t>(realtime_ns) + static_cast<std::int64_t>(ns_between(ticks, reading));
  }
  /// The calibration of readings that went through to_realtime_ns.
  [[nodiscard]] ClockCalibration as_realtime() const noexcept {
    return {ClockSource::realtime, 0, realtime_ns, monotonic_ns, realtime_ns, 1.0, error_ppm};
  }
};
static_assert(sizeof(ClockCalibration) == 48);

}  // namespace eventspace
