#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <cstddef>
#include <filesystem>
#include <string>

#include "monitors/probing/groups/process_choice.h"

namespace eventspace {

/// On which machines a command looks for processes: those of a pathmap's nodes, or of a list of hosts; none:
/// on this one.
struct NodeChoice {
  std::filesystem::path pathmap{};
  std::string hosts{};     ///< as batch systems write them: "n[1-4]"
  std::string launcher{};  ///< words of a command with {host}; empty: ssh
  /// The program `eventspace`, at the same path on all machines. Empty: this program.
  std::filesystem::path program{};
  std::size_t fan_out{16};  ///< of the tree of hosts: a machine has at most so many below it

  [[nodiscard]] bool is_here() const noexcept { return pathmap.empty() && hosts.empty(); }
};

/// Adds the argument `PATHMAP`, and `--hosts` and `--launcher`.
void add_nodes(CLI::App& app, NodeChoice& nodes);

/// Throws ConfigurationError if the options do not go together, also with the choice of processes: a pid is
/// that of a process of one machine.
void check_nodes(const NodeChoice& nodes, const ProcessChoice& processes);

}  // namespace eventspace
