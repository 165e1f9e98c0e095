#pragma once

#include <optional>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace::expansion {

/// Returns the gateway nodes on the route from `from` (empty: a consumer outside all clusters) to `to`. A
/// route into a cluster with a gateway passes that gateway, unless it ends there. A route out of a cluster is
/// direct.
std::vector<NodeIndex> route_between(const Plan& plan, std::optional<NodeIndex> from, NodeIndex to);

/// Returns true if a scope tree may send views from `from` to `to` (empty: the consumer). Views move towards
/// the consumer only. They must not go from the consumer to a node, nor into a cluster with a gateway: not
/// from outside, and not from the gateway back to another node of its cluster.
bool may_flow(const Plan& plan, std::optional<NodeIndex> from, std::optional<NodeIndex> to);

}  // namespace eventspace::expansion
