#include "monitors/whatif/simulation/placement.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "scopes/tree/rank_list.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::whatif {
namespace {

std::vector<std::string_view> comma_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::uint32_t> listed(std::string_view place, const Network& network) {
  std::vector<std::uint32_t> stations;
  for (const std::string_view part : comma_parts(place)) {
    const auto named = std::ranges::find(network.stations, part);
    if (named != network.stations.end()) {
      stations.push_back(static_cast<std::uint32_t>(named - network.stations.begin()));
      continue;
    }
    const auto numbers = part.empty() ? std::nullopt : parse_rank_list(part);
    if (!numbers)
      throw ConfigurationError(
          fmt::format("found '{}' for the stations of tasks; expected block, cyclic, or the number or "
                      "name of the station of each task, such as 0,0,1,1",
                      escaped(part)));
    stations.insert(stations.end(), numbers->begin(), numbers->end());
  }
  return stations;
}

std::vector<std::uint32_t> regular(std::size_t tasks, bool is_block, std::uint32_t tasks_per_station) {
  std::vector<std::uint32_t> stations(tasks);
  const std::size_t count = (tasks + tasks_per_station - 1) / tasks_per_station;
  for (std::size_t task = 0; task < tasks; ++task)
    stations[task] = static_cast<std::uint32_t>(is_block ? task / tasks_per_station : task % count);
  return stations;
}

}  // namespace

std::vector<std::uint32_t> place_tasks(std::size_t tasks, std::string_view place,
                                       std::uint32_t tasks_per_station, const Network& network) {
  const bool is_regular = place == "block" || place == "cyclic";
  std::vector<std::uint32_t> stations =
      is_regular ? regular(tasks, place == "block", tasks_per_station) : listed(place, network);
  if (stations.size() != tasks)
    throw ConfigurationError(fmt::format("{} stations are given for {} tasks", stations.size(), tasks));
  const std::size_t needed = stations.empty() ? 0 : *std::ranges::max_element(stations) + std::size_t{1};
  if (needed >
      std::max<std::size_t>(network.stations.empty() ? std::size_t{1} << 20 : network.stations.size(), 1))
    throw ConfigurationError(
        fmt::format("the tasks need {} stations, and the network {} has {}", needed, network.name,
                    network.stations.empty() ? std::size_t{1} << 20 : network.stations.size()));
  return stations;
}

}  // namespace eventspace::whatif
