#pragma once

#include <cstdint>

#include "pathmaps/plan/plan.h"
#include "scopes/streams/launching/launch_options.h"
#include "scopes/streams/topology.h"

namespace eventspace {

/// The processes of a network of streams over the nodes of a pathmap, for streams::LaunchedNetwork.
struct PathmapNetwork {
  streams::Topology topology;
  streams::LaunchOptions options;
};

/// How many back-ends there are.
enum class BackEnds : std::uint8_t {
  processes,  ///< one for each process of the application, at its node; nodes without any have none
  nodes       ///< one for each node
};

/// Makes a tree whose front-end is this process and that has an internal process on each node, which is
/// started by the node's `launch` (docs/pathmap.md), as `eventspace up` starts its server. The nodes of a
/// cluster with a gateway are below that of the gateway. Ranks follow the order of the nodes in the tree and,
/// on a node, the order of its processes.
///
///     PathmapNetwork made = network_of(*load_plan("app.yaml"), BackEnds::nodes);
///     made.options.back_end = {"my-daemon"};
///     streams::LaunchedNetwork network(made.topology, made.options);
///
/// Two nodes of one host are two processes there. Throws ConfigurationError if there would be no back-end, if
/// nodes of one host have different commands under `launch`, or for a host that cannot be in a topology (an
/// IPv6 address).
PathmapNetwork network_of(const Plan& plan, BackEnds back_ends);

}  // namespace eventspace
