#pragma once

// Private to monitors/.

#include <filesystem>
#include <optional>
#include <string>

namespace eventspace {

/// The file of the program that runs.
std::filesystem::path own_program();

/// The file that a command's first word means: itself when it has a slash, else the first executable of that
/// name in $PATH, else one that lies beside the program that runs. Nothing when there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace eventspace
