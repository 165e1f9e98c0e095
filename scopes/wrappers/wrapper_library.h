#pragma once

// Private to scopes/.

#include <chrono>
#include <filesystem>
#include <string>

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// Loads the scope wrapper of a shared object (scopes/wrappers/plugin.h), to be called `name` and to return
/// within `limit`. The shared object stays loaded until the process ends: a thread that hangs in it could not
/// do without. Loading runs code of the shared object. `library` is an absolute path.
///
/// Throws ConfigurationError that says why it cannot be used: it cannot be loaded, has no entry, was built
/// for another version or by a compiler that lays things out differently, or does not describe itself.
ScopeWrapperInfo load_scope_wrapper(const std::filesystem::path& library, std::string name,
                                    std::chrono::nanoseconds limit);

}  // namespace eventspace
