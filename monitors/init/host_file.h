#pragma once

// Private to monitors/.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A host of a host file, and how many processes it should have.
struct HostEntry {
  std::string host;
  std::size_t processes{1};
  friend bool operator==(const HostEntry&, const HostEntry&) = default;
};

/// Reads a host file as MPI programs are started with: a host on each line, by name or address, and behind it
/// `slots=N` for N processes there. A host on several lines has the processes of all of them. What follows a
/// '#' and empty lines are skipped.
///
/// Throws ConfigurationError with the file, the line and what was expected for any other word, for a file
/// that names no host, more than 1000 hosts or more than 10000 processes, has more than 1 MiB, or cannot be
/// read.
std::vector<HostEntry> read_host_file(const std::filesystem::path& file);
/// The same for the text of a file; messages call it `name`.
std::vector<HostEntry> parse_host_file(std::string_view text, const std::string& name);

}  // namespace eventspace
