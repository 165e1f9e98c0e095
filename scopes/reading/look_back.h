#pragma once

#include <chrono>
#include <cstdint>

#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Returns the ticks of a clock `time` before `now_ticks`; 0 if the clock did not run yet then.
std::uint64_t ticks_before(const ClockCalibration& clock, std::uint64_t now_ticks,
                           std::chrono::nanoseconds time) noexcept;

/// Where in a trace element to begin reading.
struct Beginning {
  std::uint64_t after{0};    ///< sequence number of the last tuple that ended before the given time
  std::uint64_t gone{0};     ///< number of overwritten tuples up to that one
  std::uint64_t emptied{0};  ///< number of emptied tuples up to that one
};
/// Finds the first tuple that ended at `ticks` or later. A binary search, because tuples of one trace element
/// end in the order of their sequence numbers. The writer may write at the same time. In a damaged ring the
/// result may be the beginning.
Beginning find_beginning(const TraceReader& reader, std::uint64_t ticks);

}  // namespace eventspace
