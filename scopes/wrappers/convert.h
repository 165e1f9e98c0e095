#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// `convert: {clock: reference, format: common}` makes records that come from different machines alike. Both
/// are the default; `native` leaves the one or the other as it is.
///
/// `clock: reference` turns the ticks of each process's own clock into nanoseconds since 1970 by
/// CLOCK_REALTIME of its node, with the calibration that its report carries, and changes the reports
/// likewise: whoever comes after, here or in the monitor, computes times as before. From there on times of
/// different processes can be compared, as exactly as the clocks of the nodes agree and the calibrations
/// hold. Converted twice is converted once. A record whose process the view does not report has no clock: it
/// is dropped, and counted as filtered.
///
/// `clock: synchronised` turns them into nanoseconds by CLOCK_MONOTONIC of the place where the wrapper runs,
/// with the relation that the report carries (ClockRelation), counted from `synchronised_epoch`. From there
/// on times of different nodes can be compared, each within the bound that ProcessReport::here says.
/// Converted again elsewhere, they become those of that place. A record whose process's clock was not
/// compared with the one here is dropped and counted, too.
///
/// `format: common` has the records sent on in little-endian byte order. In memory they are in that of the
/// machine, and on the wire a descriptor of layout and byte order goes with them, by which whoever receives
/// them converts if need be; so this only moves the work, from the receiver to here. Among little-endian
/// machines there is none.
ScopeWrapperInfo convert_wrapper();

/// What the zero of a machine's CLOCK_MONOTONIC is in synchronised times, so that what happened before that
/// machine was booted has one as well.
inline constexpr std::uint64_t synchronised_epoch = std::uint64_t{1} << 62;

}  // namespace eventspace
