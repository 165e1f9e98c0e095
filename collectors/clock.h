#pragma once

#include <cstdint>
#include <string>

#include "tuplespace/trace/clock_calibration.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace eventspace {

/// The clock that stamps events: the processor's time stamp counter where the kernel vouches for it
/// (flags constant_tsc and nonstop_tsc, and tsc among the available clock sources), else CLOCK_MONOTONIC.
/// The choice is made once a process; EVENTSPACE_CLOCK=monotonic or =tsc overrides it.
class Clock {
 public:
  /// This process's clock; the first call calibrates it, which takes a few milliseconds.
  static const Clock& instance();

  /// A reading, in ticks; of the counter a plain one, see StampOrder.
  [[nodiscard]] std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    if (uses_tsc_) return __rdtsc();
#endif
    return monotonic_now();
  }

  [[nodiscard]] const ClockCalibration& calibration() const noexcept { return calibration_; }
  [[nodiscard]] bool uses_tsc() const noexcept { return uses_tsc_; }

  /// A reading of the clock that `calibration` describes, of whichever process of this machine.
  static std::uint64_t now(const ClockCalibration& calibration) noexcept;
  /// CLOCK_MONOTONIC, in nanoseconds.
  static std::uint64_t monotonic_now() noexcept;

 private:
  Clock();

  bool uses_tsc_{false};
  ClockCalibration calibration_;
};

/// Whether the texts of /proc/cpuinfo and of the kernel's available_clocksource vouch for the counter. Pure.
bool tsc_is_trustworthy(const std::string& cpuinfo, const std::string& clock_sources);

}  // namespace eventspace
