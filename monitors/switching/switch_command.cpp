#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "collectors/switching/switch_order.h"
#include "collectors/switching/switch_processes.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/text/name_ranges.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/watched.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/collect_control.h"
#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

struct SwitchOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string setting;  // empty means only show
  std::string kind;
  std::string event_class;
  std::string processes{"**"};
  std::string nodes{"**"};
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
  Format format{Format::text};
};

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

SwitchOrder order_of(const SwitchOptions& options) {
  SwitchOrder order;
  order.processes = options.processes;
  order.events = events_named(options.kind, options.event_class);
  if (!options.setting.empty()) order.period = period_of(options.setting);
  if (!order.period && !(options.kind.empty() && options.event_class.empty()))
    throw ConfigurationError("--kind and --class need a setting: on, off or 1/N");
  return order;
}

std::string_view to_string(SwitchedNode::By by) noexcept {
  switch (by) {
    case SwitchedNode::By::server:
      return "server";
    case SwitchedNode::By::directly:
      return "directly";
    case SwitchedNode::By::neither:
      return "neither";
  }
  return "?";
}

void print(const std::vector<SwitchedNode>& nodes, Format format) {
  ResultTable table({"node", "process", "pid", "collecting", "by", "refusal"});
  for (const SwitchedNode& node : nodes) {
    for (const SwitchedProcess& process : node.processes) {
      Json collecting;
      if (process.refusal.empty()) collecting = describe(process.state);
      table.add(
          {process.node, process.process, process.pid, collecting, to_string(node.by), process.refusal});
    }
  }
  if (format != Format::text || !table.is_empty()) table.print(std::cout, format);
}

// Prints the processes that could not be switched, grouped by reason. Returns whether there are any.
bool report_refusals(const Plan& plan, const std::vector<SwitchedNode>& nodes) {
  std::map<std::string, std::vector<std::string>> processes;
  std::map<std::string, std::vector<std::string>> silent;
  for (const SwitchedNode& node : nodes) {
    if (node.by == SwitchedNode::By::neither) silent[node.refusal].push_back(plan.nodes[node.node].name);
    for (const SwitchedProcess& process : node.processes) {
      if (!process.refusal.empty())
        processes[process.refusal].push_back(fmt::format("{} (pid {})", process.process, process.pid));
    }
  }
  for (const auto& [why, names] : processes)
    print_message(fmt::format("cannot switch {}: {}", fmt::join(names, ", "), why));
  for (const auto& [why, names] : silent) {
    print_message(
        fmt::format("cannot reach the processes of {}: none runs on this machine, and no server answered for "
                    "them: {}",
                    collapse_numbered(names), why));
  }
  return !processes.empty() || !silent.empty();
}

// For a session without a pathmap. An observer's token leads to another machine.
bool begins_on_this_machine(const Plan& plan) {
  return !plan.has_pathmap && plan.nodes[NodeIndex(0)].port == 0;
}

std::vector<SwitchedNode> switch_session(const Plan& plan, const SwitchOptions& options,
                                         const SwitchOrder& order) {
  if (options.nodes != SwitchOptions().nodes)
    throw ConfigurationError("--node needs a pathmap; use --process for a session without one");
  if (const auto fault = glob_fault(options.processes); !fault.empty())
    throw ConfigurationError(fmt::format("--process: the pattern '{}' {}", options.processes, fault));
  std::vector<NodeIndex> others;  // of a job on several machines
  for (const NodeIndex node : plan.nodes.indices())
    if (node != NodeIndex(0)) others.push_back(node);
  auto outcomes = switch_nodes(plan, plan.name, others, order, options.timeout);
  outcomes.insert(outcomes.begin(),
                  {NodeIndex(0), SwitchedNode::By::directly, switch_processes(plan.name, "", order), ""});
  return outcomes;
}

// If the pathmap lacks such a process, a process without a pathmap may have that name, so all nodes are
// queried.
std::vector<SwitchedNode> switch_planned(const Plan& plan, const SwitchOptions& options,
                                         const SwitchOrder& order) {
  const std::vector<NodeIndex> all = nodes_of(plan, options.nodes);
  std::vector<NodeIndex> nodes = all;
  std::erase_if(nodes, [&](NodeIndex node) { return !places_any(plan, node, options.processes); });
  auto outcomes = switch_nodes(plan, session_name(plan, options.session), nodes.empty() ? all : nodes, order,
                               options.timeout);
  const bool has_any =
      std::ranges::any_of(outcomes, [](const auto& node) { return !node.processes.empty(); });
  if (!has_any) check_processes(plan, options.processes);
  return outcomes;
}

// Returns whether a program has switched off its own collecting. Only the program can switch it on again.
bool report_without_effect(const std::vector<SwitchedNode>& nodes, const SwitchOrder& order) {
  if (order.period.value_or(0) == 0) return false;
  bool has_any = false;
  for (const SwitchedNode& node : nodes) {
    for (const SwitchedProcess& process : node.processes) {
      if (!process.refusal.empty() || process.state.by_program) continue;
      has_any = true;
      print_message(fmt::format(
          "process {} (pid {}) still records nothing: the program itself has switched collecting off",
          process.process, process.pid));
    }
  }
  return has_any;
}

int switch_or_show(const SwitchOptions& options) {
  const SwitchOrder order = order_of(options);
  const Watched watched = find_watched(options.pathmap, options.session);
  const Plan& plan = *watched.plan;
  const auto outcomes = begins_on_this_machine(plan) ? switch_session(plan, options, order)
                                                     : switch_planned(plan, options, order);
  print(outcomes, options.format);
  if (report_refusals(plan, outcomes) || report_without_effect(outcomes, order)) return exit_unreachable;
  for (const SwitchedNode& node : outcomes) {
    if (!node.processes.empty()) return exit_fine;
  }
  const bool is_for_all = options.nodes == "**" && options.processes == "**";
  print_message(fmt::format("no process of session '{}'{} runs{}", session_name(plan, options.session),
                            is_for_all ? "" : " that matches --node and --process",
                            is_for_all ? ": `eventspace run` starts the application" : ""));
  return exit_unreachable;
}

}  // namespace

Command switch_command(const CommandContext& /*context*/) {
  const CommandGuide guide{.group = CommandGroup::steering,
                           .place = 2,
                           .examples = {{"eventspace switch app.yaml", "shows what is recorded now"},
                                        {"eventspace switch app.yaml 1/100 --kind operation --class write",
                                         "records one write in a hundred"},
                                        {"eventspace switch app.yaml on", "records everything again"}},
                           .statuses = {{exit_unreachable, "a process could not be switched, or none runs"}}};
  return {
      "switch", "Show or switch what processes record",
      with_options<SwitchOptions>(
          [](CLI::App& app, SwitchOptions& options) {
            add_watched(app, options.pathmap);
            app.add_option("SETTING", options.setting,
                           "on, off, or 1/N to record one event in N [shows the settings]");
            app.add_option("--kind", options.kind, "Switch only events of this kind, such as operation [all]")
                ->type_name("KIND");
            app.add_option("--class", options.event_class,
                           "Switch only events of this class, such as write [all]")
                ->type_name("CLASS");
            app.add_option("--process", options.processes, "Switch only processes whose names match [all]")
                ->type_name("GLOB");
            app.add_option("--node", options.nodes, "Show or switch only nodes whose names match [all]")
                ->type_name("GLOB");
            add_session(app, options.session);
            add_timeout(app, options.timeout, "1s");
            add_format(app, options.format);
          },
          switch_or_show),
      guide};
}

}  // namespace eventspace
