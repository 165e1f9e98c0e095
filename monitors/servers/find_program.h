#pragma once

// Private to monitors/.

#include <filesystem>
#include <optional>
#include <string>

namespace eventspace {

/// The file of the running program.
std::filesystem::path own_program();

/// Finds the file of a command by its first word: the word itself if it contains a slash, else the first
/// executable of that name in $PATH, else one in the directory of the running program; nullopt if there is
/// none.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace eventspace
