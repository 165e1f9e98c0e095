#pragma once

// Private to monitors/.

#include <CLI/App.hpp>

namespace eventspace {

/// `--priority` of a monitor: how it competes with the application for processors
/// (tuplespace/processes/priority.h); low without the option. The process takes it as soon as the command
/// line has been read, before it has other threads. What could not be set is said once, on standard error,
/// and the monitor goes on.
void add_priority(CLI::App& app);

}  // namespace eventspace
