#pragma once

#include <CLI/App.hpp>

namespace eventspace {

/// `--priority` of a monitor: how it competes with the application for processors
/// (tuplespace/processes/priority.h); low without the option. The process takes it as soon as the command
/// line has been read, before it starts threads. A failure is reported once, on standard error, and the
/// monitor continues.
void add_priority(CLI::App& app);

}  // namespace eventspace
