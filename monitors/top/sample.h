#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/delays/delay_report.h"
#include "monitors/streams/asked_networks.h"
#include "monitors/top/collectives.h"
#include "monitors/watching/watch_cost.h"
#include "paths/links/link.h"
#include "paths/views/view.h"
#include "paths/wire/wire.h"

namespace eventspace::top {

enum class Answer : std::uint8_t {
  answered,
  silent,         ///< no answer in time, to the ping or to this sample's pull
  behind_gateway  ///< not pinged, because only its gateway can reach it
};

/// The answer of one node's server to a ping.
struct ServerSample {
  Answer answer{Answer::silent};
  std::optional<wire::ServerReport> report{};
  std::chrono::nanoseconds round_trip{};
};

/// The networks of streams on this machine, and the real time at which they were queried.
struct NetworksSample {
  std::vector<FoundNetwork> found;
  std::chrono::steady_clock::time_point at;
};

/// One look at the application, and the cost of all looks so far.
struct Sample {
  View view;
  Timeline::Time at;
  WatchCost::Sum cost;
  Link::Counts traffic;
  std::vector<ServerSample> servers;          ///< by node; empty if not asked
  std::vector<CollectiveSample> collectives;  ///< empty if not sampled
  std::optional<NetworksSample> networks;     ///< nullopt: not asked
  std::optional<DelayReport> delays;          ///< nullopt: not watched
};

}  // namespace eventspace::top
