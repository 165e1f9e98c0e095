#pragma once

#include <optional>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/monitor.h>
#include "python/module/event_table.h"
#include "python/module/source.h"
#include "python/module/waits.h"

namespace eventspace::python {

/// Reads the events that match, of a recording piece by piece, so that not all records are in memory at once.
/// Blocks as Monitor::events does. `fields` as in EventTable. Ends early when `given_up`.
EventTable read_events(Source& source, const EventQuery& query, Deadline deadline,
                       const std::vector<std::string>& fields, GivenUp& given_up);

}  // namespace eventspace::python
