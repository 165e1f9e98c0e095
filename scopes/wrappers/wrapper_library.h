#pragma once

// Private to scopes/.

#include <chrono>
#include <filesystem>
#include <string>

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// Loads the scope wrapper of a shared object (scopes/wrappers/plugin.h). The wrapper gets the name `name`
/// and must return within `limit`. `library` is what require_trusted_file()
/// (tuplespace/system/trusted_file.h) returned: a path on which no other user can put another file. It is
/// loaded by that path and not through a descriptor, so that its RUNPATH may contain $ORIGIN, and debuggers
/// find it. Loading runs code of the shared object, which stays loaded until the process ends, because a
/// thread may be stuck in it.
///
/// Throws ConfigurationError with the reason if the shared object cannot be loaded, has no entry point, was
/// built for another version or with another ABI, or returns no description.
ScopeWrapperInfo load_scope_wrapper(const std::filesystem::path& library, std::string name,
                                    std::chrono::nanoseconds limit);

}  // namespace eventspace
