#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "monitors/whatif/networks/network.h"

namespace eventspace::whatif {

/// Returns the station of each task.
///
/// `place`: "block" (the first `tasks_per_station` tasks on the first station, and so on), "cyclic" (one task
/// after the other on as many stations as "block" needs), or the stations of all tasks in their order: names
/// of `network`, or numbers from 0, with ranges: "0-3,0-3". Throws ConfigurationError for another text, for a
/// list whose length is not the number of tasks, and if the network has too few stations.
std::vector<std::uint32_t> place_tasks(std::size_t tasks, std::string_view place,
                                       std::uint32_t tasks_per_station, const Network& network);

}  // namespace eventspace::whatif
