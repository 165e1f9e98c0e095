#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <filesystem>
#include <string>

#include "monitors/probing/groups/process_choice.h"

namespace eventspace {

/// The machines on which a command works: the nodes of a pathmap, or a list of hosts; neither: this machine.
struct NodeChoice {
  std::filesystem::path pathmap{};
  std::string hosts{};     ///< in the notation of batch systems: "n[1-4]"
  std::string launcher{};  ///< words of a command with {host}; empty: ssh
  /// The program `eventspace`, at the same path on all machines. Empty: this program.
  std::filesystem::path program{};
  std::size_t fan_out{16};  ///< of the tree of hosts: limit for the children of a machine

  [[nodiscard]] bool is_here() const noexcept { return pathmap.empty() && hosts.empty(); }
};

/// Adds the argument `PATHMAP`, and `--hosts` and `--launcher`.
void add_nodes(CLI::App& app, NodeChoice& nodes);

/// Throws ConfigurationError if the options contradict each other or the choice of processes: a pid is valid
/// on one machine only.
void check_nodes(const NodeChoice& nodes, const ProcessChoice& processes);

}  // namespace eventspace
