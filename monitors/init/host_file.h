#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A host of a host file, and its number of processes.
struct HostEntry {
  std::string host;
  std::size_t processes{1};
  friend bool operator==(const HostEntry&, const HostEntry&) = default;
};

/// Reads a host file in the format of MPI launchers: a host per line, by name or address, followed by
/// `slots=N` for N processes there. The processes of a host on several lines are added up. Text after a '#'
/// and empty lines are skipped.
///
/// Throws ConfigurationError with the file, the line and the expected text for any other word, and for a file
/// that is without hosts, has more than 1000 hosts, 10000 processes or 1 MiB, or cannot be read.
std::vector<HostEntry> read_host_file(const std::filesystem::path& file);
/// The same for the text of a file; messages call it `name`.
std::vector<HostEntry> parse_host_file(std::string_view text, const std::string& name);

}  // namespace eventspace
