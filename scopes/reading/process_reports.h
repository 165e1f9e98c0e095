#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/clock_rate.h"
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/trace/node_clock.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// Makes the report of the process that made `segment`, which must be intact: its ids as seen by `process`,
/// or as stored in the segment if that is null; and the relation of its clock to `node`, the clock of its
/// node. Adds a reading to `rate`. The caller must fill in the process's number, its state and `followed`.
/// Thread-safe.
ProcessReport report_process(const SegmentView& segment, const NodeClock& node, ClockRate& rate,
                             const ProcessSight* process = nullptr);

/// Returns the kernel's data on the threads with these indices in the segment. If `process` is not null, only
/// as far as it sees the process. A few system calls for each thread. Thread-safe.
std::vector<ThreadReport> report_threads(const SegmentView& segment, std::span<const std::size_t> threads,
                                         const ProcessSight* process = nullptr);

}  // namespace eventspace
