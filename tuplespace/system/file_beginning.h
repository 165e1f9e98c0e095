#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>

namespace eventspace {

/// Returns the first bytes of a file, at most `most`, as far as they can be read; empty if it cannot be
/// opened. For files of /proc, which may vanish at any time, and for files that are identified by their
/// beginning. Reads a file.
std::string beginning_of_file(const std::filesystem::path& file, std::size_t most = std::size_t{1} << 20);
/// The same for the rest of a stream, whose state says whether it could be read.
std::string beginning_of(std::istream& in, std::size_t most);

}  // namespace eventspace
