#pragma once

#include <optional>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Returns the environment variable; empty if it is not set.
std::string environment(const char* name);

/// Returns the name of this process in sessions without a pathmap, "PROGRAM:PID". At most 59 bytes.
std::string own_process_name();

/// A function of C that returns the name of the session which a preloaded library, with another copy of
/// EventSpace, has joined in this process, or null. Only preloaded libraries have it.
inline constexpr const char* preloaded_session_function = "eventspace_preloaded_session_v1";

/// Throws ConfigurationError if a preloaded library has joined the session in this process: a process is in a
/// session once.
void require_not_joined_by_preloaded_library(const std::string& session);

/// Returns whether this process records events: `asked`, or if that is empty, the pathmap's setting, unless
/// $EVENTSPACE_COLLECT is 0.
bool shall_collect(const Plan& plan, const std::optional<bool>& asked);

}  // namespace eventspace
