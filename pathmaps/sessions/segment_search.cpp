#include "pathmaps/sessions/segment_search.h"

#include <algorithm>

#include "pathmaps/plan/plan_names.h"

namespace eventspace {
namespace {

// Whether the node takes in the processes of its host whose node the plan does not have.
bool takes_in_others(const Plan& plan, NodeIndex node) {
  const auto is_on_same_host = [&](const NodePlan& other) { return other.host == plan.nodes[node].host; };
  return &*std::ranges::find_if(plan.nodes, is_on_same_host) == &plan.nodes[node];
}

LocalSegments::Config segments_of(const Plan& plan, const std::string& session, const std::string& node) {
  LocalSegments::Config config{session, node, plan.fingerprint};
  config.servers_fingerprint = plan.scopes_fingerprint;
  for (const NodePlan& planned : plan.nodes) config.nodes_of_plan.insert(planned.name);
  return config;
}

}  // namespace

LocalSegments::Config segments_of_node(const Plan& plan, NodeIndex node, const std::string& session,
                                       const NodeClock& clock) {
  LocalSegments::Config config = segments_of(plan, session, plan.nodes[node].name);
  config.clock = clock;
  config.unplanned.push_back({plan.nodes[node].name, unplanned_numbers(plan, node)});
  if (takes_in_others(plan, node)) config.unplanned.push_back({"", unplanned_numbers(plan, node)});
  return config;
}

LocalSegments::Config segments_of_machine(const Plan& plan, const std::string& session) {
  LocalSegments::Config config = segments_of(plan, session, "");
  bool has_local = false;
  for (const NodeIndex node : plan.nodes.indices()) {
    config.unplanned.push_back({plan.nodes[node].name, unplanned_numbers(plan, node)});
    if (has_local || !plan.nodes[node].launch.empty()) continue;
    config.unplanned.push_back({"", unplanned_numbers(plan, node)});
    has_local = true;
  }
  return config;
}

}  // namespace eventspace
