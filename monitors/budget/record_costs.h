#pragma once

#include "monitors/budget/overhead_model.h"

namespace eventspace {

/// Measures, in this process, what recording an event costs on this machine: an event collector on a path
/// that does nothing writes to scratch trace elements. The lower ends are with trace elements in the cache,
/// as in a loop that only records; the upper ends with trace elements that have left it, as in a program that
/// works on much memory in between. Takes about 50 ms of processor time, and 32 MiB of memory during that
/// time.
///
/// Records of MPI, PVM and probes have the same layout and the same two readings of the clock, and are
/// counted with the same cost.
RecordCosts measure_record_costs();

}  // namespace eventspace
