#pragma once

#include <filesystem>
#include <string>

namespace eventspace {

/// Writes a file of the documentation, and makes its directory. Throws EnvironmentError if that fails.
void write_text_file(const std::filesystem::path& file, const std::string& text);

/// Throws EnvironmentError if the file cannot be read.
std::string read_text_file(const std::filesystem::path& file);

}  // namespace eventspace
