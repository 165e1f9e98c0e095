#pragma once

#include <filesystem>

namespace eventspace {

/// Returns the folder for temporary files: that of TMPDIR, or else /tmp. Throws EnvironmentError, with
/// advice, if it does not exist, where std::filesystem would throw an error that is not an Error.
std::filesystem::path temporary_folder();

}  // namespace eventspace
