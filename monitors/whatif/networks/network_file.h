#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "monitors/whatif/networks/network.h"

namespace eventspace::whatif {

/// Reads a network in YAML (format: docs/whatif.md). `source`: the name of the file. Throws FaultyInput with
/// all faults, each with line and column.
Network parse_network(std::string_view yaml, const std::string& source);
/// Reads a file. Throws EnvironmentError if it cannot be read.
Network read_network(const std::filesystem::path& file);
/// Returns the network that a user named: a shipped network, or a file if the name ends in .yaml or .yml or
/// contains a '/'. Throws like read_network, and ConfigurationError for an unknown name.
Network find_network(const std::string& named);

/// Writes a network in YAML; parse_network() returns the same network, up to the last digit of rates.
void write_network(std::ostream& out, const Network& network);

}  // namespace eventspace::whatif
