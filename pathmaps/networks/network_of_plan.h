#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <eventspace/stream_network.h>
#include <eventspace/topology.h>
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The processes of a network of streams over the nodes of a pathmap, for streams::LaunchedNetwork.
struct PathmapNetwork {
  streams::Topology topology;
  streams::LaunchOptions options;
  std::vector<ProcessIndex> processes{};  ///< for BackEnds::processes: the process of each rank
};

/// The selection of back-ends.
enum class BackEnds : std::uint8_t {
  processes,  ///< one for each process of the application, at its node
  nodes       ///< one for each node
};

/// Makes a tree whose front-end is this process and that has an internal process on each node, which is
/// started by the node's `launch` (docs/pathmap.md), as `eventspace up` starts its server. The nodes of a
/// cluster with a gateway are below the gateway's node. Ranks follow the order of the nodes in the tree and,
/// on a node, the order of its processes.
///
///     PathmapNetwork made = network_of(require_plan("app.yaml"), BackEnds::nodes);
///     made.options.back_end = {"my-daemon"};
///     streams::LaunchedNetwork network(made.topology, made.options);
///
/// The processes of the application itself become back-ends on request (Session::back_end):
///
///     PathmapNetwork made = network_of(*plan, BackEnds::processes);
///     made.options.session = session_name(*plan, "");
///
/// Two nodes of one host are two processes there. Throws ConfigurationError if there would not be any
/// back-ends, if nodes of one host have different commands under `launch`, or for a host that cannot be in a
/// topology (an IPv6 address).
PathmapNetwork network_of(const Plan& plan, BackEnds back_ends);

/// The rank that a process has in a network over the processes of its pathmap. Nullopt if such a network is
/// impossible.
std::optional<RankSet::Rank> rank_of_process(const Plan& plan, ProcessIndex process);

}  // namespace eventspace
