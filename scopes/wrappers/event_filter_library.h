#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// Makes a scope wrapper of the filter of events in a shared object (include/eventspace/event_filter.h).
/// Otherwise like load_scope_wrapper().
ScopeWrapperInfo load_event_filter(const std::filesystem::path& library, std::string name,
                                   std::chrono::nanoseconds limit);

}  // namespace eventspace
