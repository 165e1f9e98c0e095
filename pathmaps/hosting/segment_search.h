#pragma once

// Private to pathmaps/.

#include <string>

#include "pathmaps/plan/plan.h"
#include "scopes/reading/local_segments.h"

namespace eventspace {

/// Returns which segments of `session` the server of `node` looks for: those of the node's processes, and
/// those of processes that the plan does not have. The latter name their node themselves; if the plan does
/// not have it either, they belong to one node of each host: the first for which the plan has processes, or
/// else the first.
LocalSegments::Config segments_of_node(const Plan& plan, NodeIndex node, const std::string& session,
                                       const NodeClock& clock);

/// Returns which segments a consumer looks for, whose scopes read segments of its own machine: those of all
/// nodes. Processes whose node the plan does not have belong to the node that the server on this machine
/// would be of; nodes without a `launch` are on this machine.
LocalSegments::Config segments_of_machine(const Plan& plan, const std::string& session);

}  // namespace eventspace
