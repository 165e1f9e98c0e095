#pragma once

#include <vector>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Appends the record of the newest event of a trace element that has ended, then the continuation records of
/// the event in flight that were written when it began (record_header.h), then the event in flight. Leaves
/// out missing records, and continuation records whose event is not in flight yet or is just ending. For
/// trace elements whose newest record is a continuation record; for others TraceReader::read_newest does the
/// same at less cost.
void read_newest_events(const TraceReader& reader, std::vector<TraceTuple>& out);

}  // namespace eventspace
