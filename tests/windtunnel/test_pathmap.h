// Pathmaps for the wind tunnel that a test can use beside others: on ports that are free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eventspace::windtunnel {

// Ports of the loopback interface that nobody uses now.
std::vector<std::uint16_t> free_ports(std::size_t count);

enum class Borders {
  through_servers,  // each process on a node of its own
  shared            // all on one node, in shared memory
};

// 'threads' workers and main, dealt out to processes p0, p1, ...; main is in p0.
std::string test_pathmap(std::size_t threads, std::size_t processes,
                         Borders borders = Borders::through_servers);

}  // namespace eventspace::windtunnel
