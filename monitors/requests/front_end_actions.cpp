#include "monitors/requests/front_end_actions.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include <eventspace/session.h>
#include "collectors/switching/switch_processes.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/collect_control.h"

namespace eventspace {
namespace {

using Kind = RequestAction::Kind;

void report(const SwitchedProcess& process) {
  if (!process.refusal.empty())
    print_message(
        fmt::format("cannot switch {} (pid {}): {}", process.process, process.pid, process.refusal));
}

void collect(const RequestAction& action, const Plan& plan, const std::string& session) {
  SwitchOrder order;
  order.processes = action.processes;
  order.period = period_of(action.argument);
  if (!plan.has_pathmap && plan.nodes[NodeIndex(0)].port == 0) {
    for (const SwitchedProcess& each : switch_processes(plan.name, "", order)) report(each);
    return;
  }
  constexpr std::chrono::seconds patience{1};
  const auto all = plan.nodes.indices();
  for (const SwitchedNode& node :
       switch_nodes(plan, session_name(plan, session), {all.begin(), all.end()}, order, patience)) {
    for (const SwitchedProcess& each : node.processes) report(each);
  }
}

}  // namespace

void LastEvents::note(const ObservedEvent& event, const PlanNames& names) {
  if (event.process == nullptr) return;
  all_[std::string(names.process_name(event.process->process))] = describe_event(event, names);
}

FrontEndActions::FrontEndActions(const std::vector<RequestAction>& actions, std::string request,
                                 std::uint64_t most)
    : actions_(&actions), request_(std::move(request)), most_(most) {
  for (const RequestAction& action : actions)
    commands_.emplace_back(action.kind == Kind::run ? action.argument : "",
                           ShellCommands::Surroundings{"--do run", "event", false,
                                                       [](const std::string& line) { print_message(line); }});
}

void FrontEndActions::run_commands(const LastEvents& last, std::uint64_t matches) {
  for (const auto& [process, event] : last.all()) {
    if (most_ != 0 && processes_run_ >= most_) return;
    ++processes_run_;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if ((*actions_)[i].kind != Kind::run) continue;
      commands_[i].run({{"EVENTSPACE_REQUEST", request_},
                        {"EVENTSPACE_PROCESS", process},
                        {"EVENTSPACE_EVENT", event},
                        {"EVENTSPACE_MATCHES", std::to_string(matches)}});
    }
  }
}

void FrontEndActions::switch_elsewhere(const Plan& plan, const std::string& session) const {
  for (const RequestAction& action : *actions_)
    if (action.kind == Kind::collect && !action.processes.empty()) collect(action, plan, session);
}

void FrontEndActions::conclude() {
  for (ShellCommands& command : commands_) command.conclude();
}

}  // namespace eventspace
