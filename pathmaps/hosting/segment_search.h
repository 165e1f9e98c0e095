#pragma once

#include <string>

#include "pathmaps/plan/plan.h"
#include "scopes/reading/local_segments.h"

namespace eventspace {

/// Returns the search for the segments of `session` that the server of `node` reads: the segments of the
/// node's processes, and of dynamic processes. The latter name their node themselves; if the plan lacks that
/// node, they belong to one node of each host: the first for which the plan has processes, or otherwise the
/// first.
LocalSegments::Config segments_of_node(const Plan& plan, NodeIndex node, const std::string& session,
                                       const NodeClock& clock);

/// Returns the search for a consumer whose scopes read segments of its own machine: the segments of all
/// nodes. Processes whose node is not in the plan belong to the node whose server would be on this machine;
/// nodes without a `launch` are on this machine.
LocalSegments::Config segments_of_machine(const Plan& plan, const std::string& session);

}  // namespace eventspace
