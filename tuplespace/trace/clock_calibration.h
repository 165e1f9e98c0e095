#pragma once

#include <cstdint>

namespace eventspace {

/// The clock whose ticks are in trace tuples. A segment has one of the first two.
enum class ClockSource : std::uint32_t {
  monotonic = 1,    ///< CLOCK_MONOTONIC, a tick is a nanosecond
  tsc = 2,          ///< the processor's invariant time stamp counter
  realtime = 3,     ///< CLOCK_REALTIME, nanoseconds since 1970; converted from another clock
  synchronised = 4  ///< CLOCK_MONOTONIC of another node, to which the times were converted
};

/// The relation of the ticks of one process to the clocks of its node. Plain data without pointers: it is
/// part of the segment's layout and of the wire format.
struct ClockCalibration {
  ClockSource source{ClockSource::monotonic};
  std::uint32_t reserved{0};
  std::uint64_t ticks{0};         ///< read at the same moment as the next two
  std::uint64_t monotonic_ns{0};  ///< CLOCK_MONOTONIC
  std::uint64_t realtime_ns{0};   ///< CLOCK_REALTIME: nanoseconds since 1970
  double ns_per_tick{1.0};
  double error_ppm{0.0};  ///< bound on the relative error of ns_per_tick, in millionths

  /// Whether a clock can have this rate and error: a tick between a femtosecond and a second. Other values
  /// come only from damaged or forged data; conversions with them are meaningless.
  [[nodiscard]] bool is_sound() const noexcept {
    return ns_per_tick >= 1e-6 && ns_per_tick < 1e9 && error_ppm >= 0.0;
  }
  /// Returns the nanoseconds between two readings in ticks; negative if `to` is earlier than `from`.
  [[nodiscard]] double ns_between(std::uint64_t from, std::uint64_t to) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(to - from)) * ns_per_tick;
  }
  /// Converts a reading in ticks to nanoseconds since 1970, by this node's clock. Readings more than 126
  /// years from the calibration count as 126 years from it.
  [[nodiscard]] std::int64_t to_realtime_ns(std::uint64_t reading) const noexcept {
    constexpr double most = 4e18;
    const double ns = ns_between(ticks, reading);
    const double bounded = ns > most ? most : ns < -most ? -most : ns;
    return static_cast<std::int64_t>(realtime_ns +
                                     static_cast<std::uint64_t>(static_cast<std::int64_t>(bounded)));
  }
  /// Returns the calibration that describes readings converted by to_realtime_ns.
  [[nodiscard]] ClockCalibration as_realtime() const noexcept {
    return {ClockSource::realtime, 0, realtime_ns, monotonic_ns, realtime_ns, 1.0, error_ppm};
  }
};
static_assert(sizeof(ClockCalibration) == 48);

}  // namespace eventspace
