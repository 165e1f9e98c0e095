// Pathmaps for the wind tunnel, on free ports, so that tests can run at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eventspace::windtunnel {

// Returns ports of the loopback interface that are free now.
std::vector<std::uint16_t> free_ports(std::size_t count);

enum class Borders {
  through_servers,  // each process on a node of its own
  shared            // all on one node, in shared memory
};

// 'threads' workers and main, divided among processes p0, p1, ...; main is in p0.
std::string test_pathmap(std::size_t threads, std::size_t processes,
                         Borders borders = Borders::through_servers);

}  // namespace eventspace::windtunnel
