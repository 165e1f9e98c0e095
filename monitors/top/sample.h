#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/top/collectives.h"
#include "monitors/watching/watch_cost.h"
#include "paths/links/link.h"
#include "paths/views/view.h"
#include "paths/wire/wire.h"

namespace eventspace::top {

enum class Answer : std::uint8_t {
  answered,
  silent,         ///< not in time, now or in this sample's pull
  behind_gateway  ///< not asked: it can be reached through its cluster's gateway only
};

/// What one node's server said when it was asked.
struct ServerSample {
  Answer answer{Answer::silent};
  std::optional<wire::ServerReport> report{};
  std::chrono::nanoseconds round_trip{};
};

/// One look at the application, and what looking came to so far.
struct Sample {
  View view;
  Timeline::Time at;
  WatchCost::Sum cost;
  Link::Counts traffic;
  std::vector<ServerSample> servers;          ///< by node; empty: they were not asked
  std::vector<CollectiveSample> collectives;  ///< empty: they were not looked at
};

}  // namespace eventspace::top
