#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// Loads the scope wrapper of a shared object (scopes/wrappers/plugin.h). The wrapper gets the name `name`
/// and must return within `limit`. `library` is a trusted file, see plugin::load_table.
///
/// Throws ConfigurationError with the reason if the shared object cannot be loaded, does not have an entry
/// point, was built for another version or with another ABI, or does not return a description.
ScopeWrapperInfo load_scope_wrapper(const std::filesystem::path& library, std::string name,
                                    std::chrono::nanoseconds limit);

}  // namespace eventspace
