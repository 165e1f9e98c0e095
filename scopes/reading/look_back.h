#pragma once

// Private to scopes/.

#include <chrono>
#include <cstdint>

#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// How a clock stood some time ago: its ticks at `now_ticks` less those of `time`; 0 when it did not run yet.
std::uint64_t ticks_before(const ClockCalibration& clock, std::uint64_t now_ticks,
                           std::chrono::nanoseconds time) noexcept;

/// Where to begin in a trace element in order to read what ended at `ticks` or later.
struct Beginning {
  std::uint64_t after{0};  ///< the number of the last tuple that ended before
  std::uint64_t gone{0};   ///< of these, how many were overwritten already
};
/// Tuples of one trace element end in the order of their numbers; so this takes a few looks, however many
/// there are, and may be done while they are written.
Beginning find_beginning(const TraceReader& reader, std::uint64_t ticks);

}  // namespace eventspace
