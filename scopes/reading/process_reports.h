#pragma once

// Private to scopes/.

#include <cstddef>
#include <span>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/clock_rate.h"
#include "tuplespace/trace/node_clock.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// What a view reports of the process that made `segment`, which must be intact: which one it is, and how its
/// clock runs beside `node`, the clock of its node, whose `rate` learns from that. The caller knows the
/// process's number, its state and whether it was followed, and fills these in. Thread-safe.
ProcessReport report_process(const SegmentView& segment, const NodeClock& node, ClockRate& rate);

/// What the kernel says of those threads of the process that `threads` names by their indices in its segment.
/// Some system calls a thread. Thread-safe.
std::vector<ThreadReport> report_threads(const SegmentView& segment, std::span<const std::size_t> threads);

}  // namespace eventspace
