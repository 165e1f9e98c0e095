#pragma once

// Private to tuplespace/.

#include <cstddef>
#include <filesystem>
#include <string>

namespace eventspace {

/// Returns the first bytes of a file, at most `most`, as far as they can be read; empty if it cannot be
/// opened. For files of /proc, which may vanish at any time, and for files that are identified by their
/// beginning. Reads a file.
std::string beginning_of_file(const std::filesystem::path& file, std::size_t most = std::size_t{1} << 20);

}  // namespace eventspace
