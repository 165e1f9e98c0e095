#pragma once

#include <cstdint>

#include "scopes/reading/clock_rate.h"
#include "tuplespace/processes/process_origin.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/node_clock.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The relation between CLOCK_MONOTONIC of the process that made `segment` and of this process.
ClockShift clock_shift_of(const SegmentView& segment);

/// The error of readings when the clocks of a process and of its node cannot be compared: 31 years.
inline constexpr std::int64_t unbounded_error_ns = 1'000'000'000'000'000'000;

/// Returns the ticks that the clock of a process, whose calibration is `clock`, shows now. `shift` is the
/// shift of its CLOCK_MONOTONIC against `node`. The process need not run, but its segment must have been made
/// on this machine. Otherwise, and after another boot, the clocks are not comparable, and the result follows
/// from CLOCK_REALTIME, which may have been set in between. Both functions are thread-safe.
std::uint64_t ticks_now(const ClockCalibration& clock, const NodeClock& node, const ClockShift& shift = {});

/// Reads the clocks of a process and of its node at the same moment: up to four times, and returns the
/// reading with the smallest error. If the clocks are not comparable, the error is unbounded_error_ns.
ClockRate::Reading read_clocks(const ClockCalibration& clock, const NodeClock& node,
                               const ClockShift& shift = {});

}  // namespace eventspace
