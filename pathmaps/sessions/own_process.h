#pragma once

#include <optional>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Returns the environment variable; empty if it is not set.
std::string environment(const char* name);

/// Returns the name of this process in sessions without a pathmap, "PROGRAM:PID". At most 59 bytes.
std::string own_process_name();

/// Returns whether this process records events: `asked`, or if that is empty, the pathmap's setting, unless
/// $EVENTSPACE_COLLECT is 0.
bool shall_collect(const Plan& plan, const std::optional<bool>& asked);

}  // namespace eventspace
