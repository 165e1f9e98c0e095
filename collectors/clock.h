#pragma once

#include <cstdint>
#include <string>

#include "tuplespace/trace/clock_calibration.h"

namespace eventspace {

/// The clock that stamps events: the processor's time stamp counter if the kernel vouches for it (flags
/// constant_tsc and nonstop_tsc, and tsc among the available clock sources), CLOCK_MONOTONIC otherwise. The
/// choice is made once per process; EVENTSPACE_CLOCK=monotonic or =tsc overrides it.
///
/// Thread-safe. Readings are in ticks; calibration() converts them to nanoseconds.
///
///     const Clock& clock = Clock::instance();
///     const std::uint64_t start = clock.now();
///     work();
///     const double ns = clock.calibration().ns_between(start, clock.now());
class Clock {
 public:
  /// Returns the clock of this process. The first call calibrates it, which takes a few milliseconds; it
  /// throws ConfigurationError if EVENTSPACE_CLOCK has an unknown value.
  static const Clock& instance();

  /// Returns a reading in ticks. A reading of the counter is not ordered with the instructions around it; see
  /// StampOrder.
  [[nodiscard]] std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    // The same as __rdtsc(), without the header of all intrinsics, which takes 0.7 s to compile in each file.
    if (uses_tsc_) return __builtin_ia32_rdtsc();
#endif
    return monotonic_now();
  }

  [[nodiscard]] const ClockCalibration& calibration() const noexcept { return calibration_; }
  [[nodiscard]] bool uses_tsc() const noexcept { return uses_tsc_; }

  /// Returns a reading of the clock that `calibration` describes, which may be that of another process on
  /// this machine.
  static std::uint64_t now(const ClockCalibration& calibration) noexcept;
  /// Returns CLOCK_MONOTONIC in nanoseconds.
  static std::uint64_t monotonic_now() noexcept;

 private:
  Clock();

  bool uses_tsc_{false};
  ClockCalibration calibration_;
};

/// Returns whether the texts of /proc/cpuinfo and of the kernel's available_clocksource vouch for the
/// counter. A pure function.
bool tsc_is_trustworthy(const std::string& cpuinfo, const std::string& clock_sources);

}  // namespace eventspace
