#include "pathmaps/hosting/segment_search.h"

#include <algorithm>

#include "pathmaps/plan/plan_names.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

bool has_processes(const Plan& plan, NodeIndex node) {
  return std::ranges::any_of(plan.processes,
                             [&](const ProcessPlan& process) { return process.node == node; });
}

// The node of processes of `host` whose node is not in the plan.
std::optional<NodeIndex> node_for_others(const Plan& plan, const std::string& host) {
  std::optional<NodeIndex> first;
  for (const NodeIndex node : plan.nodes.indices()) {
    if (plan.nodes[node].host != host) continue;
    if (has_processes(plan, node)) return node;
    if (!first) first = node;
  }
  return first;
}

LocalSegments::Config segments_of(const Plan& plan, const std::string& session, const std::string& node) {
  LocalSegments::Config config{session, node, plan.fingerprint};
  config.servers_fingerprint = plan.scopes_fingerprint;
  for (const auto& directory : plan.annex_directories())
    config.annex_directories.push_back(own_directory_in(directory));
  for (const NodePlan& planned : plan.nodes) config.nodes_of_plan.insert(planned.name);
  return config;
}

}  // namespace

LocalSegments::Config segments_of_node(const Plan& plan, NodeIndex node, const std::string& session,
                                       const NodeClock& clock) {
  LocalSegments::Config config = segments_of(plan, session, plan.nodes[node].name);
  config.clock = clock;
  config.dynamic.push_back({plan.nodes[node].name, dynamic_numbers(plan, node)});
  if (node_for_others(plan, plan.nodes[node].host) == node)
    config.dynamic.push_back({"", dynamic_numbers(plan, node)});
  return config;
}

LocalSegments::Config segments_of_machine(const Plan& plan, const std::string& session) {
  LocalSegments::Config config = segments_of(plan, session, "");
  for (const NodeIndex node : plan.nodes.indices())
    config.dynamic.push_back({plan.nodes[node].name, dynamic_numbers(plan, node)});
  const auto local =
      std::ranges::find_if(plan.nodes, [](const NodePlan& node) { return node.launch.empty(); });
  if (local == plan.nodes.end()) return config;
  if (const auto node = node_for_others(plan, local->host))
    config.dynamic.push_back({"", dynamic_numbers(plan, *node)});
  return config;
}

}  // namespace eventspace
