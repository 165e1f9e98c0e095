#include "monitors/switching/session_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "collectors/switching/switch_processes.h"
#include "pathmaps/plan/plan_names.h"
#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

// Throws ConfigurationError if the glob is faulty or matches none of the names, which is a typing error.
void require_match(const std::string& option, const std::string& glob,
                   const std::vector<std::string_view>& names) {
  if (const auto fault = glob_fault(glob); !fault.empty())
    throw ConfigurationError(fmt::format("{}: the pattern '{}' {}", option, glob, fault));
  for (const std::string_view name : names) {
    if (glob_match(glob, name)) return;
  }
  throw ConfigurationError(fmt::format("{}: nothing matches '{}'{}", option, glob, hint(glob, names)));
}

std::vector<NodeIndex> nodes_of(const Plan& plan, const std::string& glob) {
  std::vector<std::string_view> names;
  std::vector<NodeIndex> nodes;
  for (const NodeIndex index : plan.nodes.indices()) {
    names.push_back(plan.nodes[index].name);
    if (glob_match(glob, plan.nodes[index].name)) nodes.push_back(index);
  }
  require_match("--node", glob, names);
  return nodes;
}

void check_processes(const Plan& plan, const std::string& glob) {
  std::vector<std::string> servers;
  std::vector<std::string_view> names;
  for (const ProcessPlan& process : plan.processes) names.push_back(process.name);
  for (const NodeIndex node : plan.nodes.indices()) servers.push_back(name_of_node_server(plan, node));
  names.insert(names.end(), servers.begin(), servers.end());
  require_match("--process", glob, names);
}

// Whether the pathmap places a process that matches on the node, or the node's server does.
bool places_any(const Plan& plan, NodeIndex node, const std::string& glob) {
  for (const ProcessPlan& process : plan.processes) {
    if (process.node == node && glob_match(glob, process.name)) return true;
  }
  return glob_match(glob, name_of_node_server(plan, node));
}

// For a session without a pathmap. An observer's token leads to another machine.
bool begins_on_this_machine(const Plan& plan) {
  return !plan.has_pathmap && plan.nodes[NodeIndex(0)].port == 0;
}

std::vector<SwitchedNode> switch_unplanned(const Plan& plan, const std::string& nodes,
                                           const SwitchOrder& order, std::chrono::nanoseconds timeout) {
  if (nodes != SwitchWords().nodes)
    throw ConfigurationError("--node needs a pathmap; use --process for a session without one");
  if (const auto fault = glob_fault(order.processes); !fault.empty())
    throw ConfigurationError(fmt::format("--process: the pattern '{}' {}", order.processes, fault));
  std::vector<NodeIndex> others;  // of a job on several machines
  for (const NodeIndex node : plan.nodes.indices())
    if (node != NodeIndex(0)) others.push_back(node);
  auto outcomes = switch_nodes(plan, plan.name, others, order, timeout);
  outcomes.insert(outcomes.begin(),
                  {NodeIndex(0), SwitchedNode::By::directly, switch_processes(plan.name, "", order), ""});
  return outcomes;
}

// If the pathmap lacks such a process, a process without a pathmap may have that name, so all nodes are
// queried.
std::vector<SwitchedNode> switch_planned(const Plan& plan, const std::string& session,
                                         const std::string& glob, const SwitchOrder& order,
                                         std::chrono::nanoseconds timeout) {
  const std::vector<NodeIndex> all = nodes_of(plan, glob);
  std::vector<NodeIndex> nodes = all;
  std::erase_if(nodes, [&](NodeIndex node) { return !places_any(plan, node, order.processes); });
  auto outcomes =
      switch_nodes(plan, session_name(plan, session), nodes.empty() ? all : nodes, order, timeout);
  const bool has_any =
      std::ranges::any_of(outcomes, [](const auto& node) { return !node.processes.empty(); });
  if (!has_any) check_processes(plan, order.processes);
  return outcomes;
}

}  // namespace

SwitchOrder order_of(const SwitchWords& words) {
  SwitchOrder order;
  order.processes = words.processes;
  order.events = events_named(words.kind, words.event_class);
  if (!words.setting.empty()) order.period = period_of(words.setting);
  if (!order.period && !(words.kind.empty() && words.event_class.empty()))
    throw ConfigurationError("--kind and --class need a setting: on, off or 1/N");
  return order;
}

std::vector<SwitchedNode> switch_session(const Plan& plan, const std::string& session,
                                         const std::string& nodes, const SwitchOrder& order,
                                         std::chrono::nanoseconds timeout) {
  return begins_on_this_machine(plan) ? switch_unplanned(plan, nodes, order, timeout)
                                      : switch_planned(plan, session, nodes, order, timeout);
}

bool is_without_effect(const SwitchedProcess& process, const SwitchOrder& order) noexcept {
  return order.period.value_or(0) != 0 && process.refusal.empty() && !process.state.by_program;
}

}  // namespace eventspace
