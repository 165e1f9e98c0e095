#pragma once

// Private to monitors/.

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "monitors/whatif/networks/network.h"

namespace eventspace::whatif {

/// Reads a network in YAML, which docs/whatif.md specifies. `source`: the name of the file. Throws
/// FaultyInput with all faults, each with line and column.
Network parse_network(std::string_view yaml, const std::string& source);
/// The same of a file. Throws EnvironmentError if it cannot be read.
Network read_network(const std::filesystem::path& file);
/// A network that a user named: one that comes with EventSpace, or a file, whose name ends in .yaml or .yml
/// or has a '/'. Throws as read_network does, and ConfigurationError for an unknown name.
Network find_network(const std::string& named);

/// Writes it in YAML; parse_network() of it is the same network, up to the last digit of rates.
void write_network(std::ostream& out, const Network& network);

}  // namespace eventspace::whatif
