#pragma once

#include <optional>
#include <string>

#include <eventspace/monitor.h>

namespace example {

/// A template for monitors: returns the thread with the most events in one pull through `scope`, or nullopt
/// if the pull yielded no events. Blocks for at most one second.
std::optional<std::string> busiest_thread(eventspace::Scope& scope);

}  // namespace example
