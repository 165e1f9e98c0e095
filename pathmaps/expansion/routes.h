#pragma once

// Private to pathmaps/.

#include <optional>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace::expansion {

/// The gateway nodes to pass on the way from `from` (a node, or nothing: somewhere outside all clusters) to
/// `to`. The way into a cluster with a gateway passes that gateway; the way out of a cluster is open, and the
/// gateway itself can be reached from anywhere.
std::vector<NodeIndex> route_between(const Plan& plan, std::optional<NodeIndex> from, NodeIndex to);

/// Whether views may go from `from` to `to` (nodes, or nothing: the consumer) on their way to the consumer:
/// nothing goes from the consumer to a node, and into a cluster with a gateway nothing goes from outside, nor
/// from the gateway, where it leaves.
bool may_flow(const Plan& plan, std::optional<NodeIndex> from, std::optional<NodeIndex> to);

}  // namespace eventspace::expansion
