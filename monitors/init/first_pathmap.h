#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/init/host_file.h"

namespace eventspace {

/// The settings of a first pathmap.
struct FirstPathmap {
  std::string name;                ///< of the application
  std::string file;                ///< its own name, for the commands in its comments
  std::vector<HostEntry> hosts{};  ///< empty means that all processes are on this machine
  std::size_t processes{1};        ///< on this machine; with hosts, each entry has its number
  std::size_t threads{1};          ///< of each process
  std::uint16_t port{7100};  ///< with hosts: of the servers of the nodes; the next port is for process p0
  std::vector<std::string> command{};  ///< of the application; may be empty
};

/// Returns the text of a pathmap, with a comment for each section: threads that take jobs from a queue,
/// report their progress and meet at a barrier, in processes on the nodes, with scopes for the monitors. It
/// is meant to be edited, but works unchanged. Does no I/O.
std::string text_of(const FirstPathmap& first);

/// Spreads `processes` over the hosts in order, as evenly as possible, and sets their numbers. REQUIRES: at
/// least as many processes as hosts.
void spread(std::size_t processes, std::vector<HostEntry>& hosts);

}  // namespace eventspace
