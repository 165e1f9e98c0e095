#pragma once

// Private to scopes/.

#include <cstdint>

#include "scopes/reading/clock_rate.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// What a process's clock, which counts ticks as `clock` says, shows now. The process need not run, but it
/// must be of this machine. Thread-safe, as is all of this header.
std::uint64_t ticks_now(const ClockCalibration& clock, const NodeClock& node);

/// The clocks of a process and of its node at the same moment. Reads them up to four times and takes the
/// reading with the smallest error.
ClockRate::Reading read_clocks(const ClockCalibration& clock, const NodeClock& node);

}  // namespace eventspace
