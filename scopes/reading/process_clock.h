#pragma once

// Private to scopes/.

#include <cstdint>

#include "scopes/reading/clock_rate.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// Returns the ticks that the clock of a process, whose calibration is `clock`, shows now. The process need
/// not run, but its segment must have been made on this machine. Both functions are thread-safe.
std::uint64_t ticks_now(const ClockCalibration& clock, const NodeClock& node);

/// Reads the clocks of a process and of its node at the same moment: up to four times, and returns the
/// reading with the smallest error.
ClockRate::Reading read_clocks(const ClockCalibration& clock, const NodeClock& node);

}  // namespace eventspace
