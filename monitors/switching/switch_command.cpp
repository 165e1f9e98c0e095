#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <map>

#include <eventspace/session.h>
#include "collectors/switching/switch_order.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/switching/session_switch.h"
#include "monitors/text/name_ranges.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/watched.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {
namespace {

struct SwitchOptions {
  std::filesystem::path pathmap;
  std::string session;
  SwitchWords words;  // without a setting, the state is only shown
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
  Format format{Format::text};
};

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

// Returns whether a program has switched off its own collecting. Only the program can switch it on again.
bool report_without_effect(const std::vector<SwitchedNode>& nodes, const SwitchOrder& order) {
  bool has_any = false;
  for (const SwitchedNode& node : nodes) {
    for (const SwitchedProcess& process : node.processes) {
      if (!is_without_effect(process, order)) continue;
      has_any = true;
      print_message(fmt::format(
          "process {} (pid {}) still records nothing: the program itself has switched collecting off",
          process.process, process.pid));
    }
  }
  return has_any;
}

int switch_or_show(const SwitchOptions& options) {
  const SwitchOrder order = order_of(options.words);
  const Watched watched = find_watched(options.pathmap, options.session);
  const Plan& plan = *watched.plan;
  const auto outcomes = switch_session(plan, options.session, options.words.nodes, order, options.timeout);
  print(outcomes, options.format);
  if (report_refusals(plan, outcomes) || report_without_effect(outcomes, order)) return exit_unreachable;
  for (const SwitchedNode& node : outcomes) {
    if (!node.processes.empty()) return exit_fine;
  }
  const bool is_for_all = options.words.nodes == "**" && options.words.processes == "**";
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
  return {"switch", "Show or switch what processes record",
          with_options<SwitchOptions>(
              [](CLI::App& app, SwitchOptions& options) {
                add_watched(app, options.pathmap);
                app.add_option("SETTING", options.words.setting,
                               "on, off, or 1/N to record one event in N [shows the settings]");
                app.add_option("--kind", options.words.kind,
                               "Switch only events of this kind, such as operation [all]")
                    ->type_name("KIND");
                app.add_option("--class", options.words.event_class,
                               "Switch only events of this class, such as write [all]")
                    ->type_name("CLASS");
                app.add_option("--process", options.words.processes,
                               "Switch only processes whose names match [all]")
                    ->type_name("GLOB");
                app.add_option("--node", options.words.nodes,
                               "Show or switch only nodes whose names match [all]")
                    ->type_name("GLOB");
                add_session(app, options.session);
                add_timeout(app, options.timeout, "1s");
                add_format(app, options.format);
              },
              switch_or_show),
          guide};
}

}  // namespace eventspace
