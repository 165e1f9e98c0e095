#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "convert" makes records of different machines comparable: `convert: {clock: reference, format:
/// common}`. Both values are defaults; `native` leaves clock or format unchanged.
///
/// `clock: reference` converts the ticks of each process's clock to nanoseconds since 1970 by CLOCK_REALTIME
/// of the process's node, with the calibration in the process's report. It changes the reports likewise, so
/// later wrappers and the monitor compute times as before. Times of different processes are then as
/// comparable as the nodes' clocks agree and the calibrations hold. A second conversion changes nothing. A
/// record whose process the view does not report is dropped and counted as filtered.
///
/// `clock: synchronised` converts the ticks to nanoseconds by CLOCK_MONOTONIC of the node where the wrapper
/// runs, counted from `synchronised_epoch`, with the relation in the process's report (ClockRelation). Times
/// of different nodes are then comparable, each within the bound that ProcessReport::here returns. A second
/// conversion on another node yields times of that node's clock. A record of a process whose clock was not
/// compared with the local one is dropped and counted as filtered.
///
/// `format: common` sends the records on in little-endian byte order. In memory they stay in the machine's
/// own order. The wire format names the order, and a receiver converts from any order other than its own, so
/// this only moves the conversion from the receiver to the sender.
ScopeWrapperInfo convert_wrapper();

/// The zero of CLOCK_MONOTONIC in synchronised times, in nanoseconds. It is large, so that events from before
/// the machine was booted have positive times too.
inline constexpr std::uint64_t synchronised_epoch = std::uint64_t{1} << 62;

}  // namespace eventspace
