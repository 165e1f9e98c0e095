#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>

#include "monitors/watching/watched.h"

namespace eventspace {

/// Opens a recording, which may come from anywhere, and makes its plan. Says on standard error if the file is
/// damaged. Throws EnvironmentError if it cannot be read; ConfigurationError if it is not of `session`,
/// unless that is empty; FaultyPathmap if its pathmap has faults.
Watched open_recorded(const std::filesystem::path& file, const std::string& session);

}  // namespace eventspace
