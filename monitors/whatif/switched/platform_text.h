#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitors/whatif/networks/network.h"

namespace eventspace::whatif {

/// The platform of a switched network, in SimGrid's XML (version 4.1): hosts "n0", "n1" and so on. A switch
/// gets `stations` hosts; other shapes define their number. Pure. REQUIRES: the network is switched, and not
/// a platform file of the user.
std::string platform_text(const Network& network, std::size_t stations);

/// The names of the hosts, by station; empty for a user's platform that does not list stations, which means
/// all hosts, in the order of the numbers in their names.
std::vector<std::string> platform_hosts(const Network& network, std::size_t stations);

/// SimGrid's options for the network, such as "network/model:CM02", for `--cfg=`.
std::vector<std::string> simgrid_options(const SwitchedNetwork& network);

}  // namespace eventspace::whatif
