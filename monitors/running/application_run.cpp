#include "monitors/running/application_run.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdlib>

#include <eventspace/error.h>
#include "monitors/servers/find_program.h"

namespace eventspace {
namespace {

// A program in the directory of this one gets its full path, because it may not be in the PATH of the other
// machine.
void complete_program(std::string& name) {
  const auto program = find_program(name);
  if (program && program->parent_path() == own_program().parent_path()) name = program->string();
}

// The command after `launch`, with env(1) in front, because ssh and similar programs do not pass variables
// on.
std::vector<std::string> behind(const std::vector<std::string>& launch, const ChildSpec& spec,
                                const std::string& session) {
  std::vector<std::string> command = launch;
  command.emplace_back("env");
  for (const auto& [name, value] : spec.environment) command.push_back(fmt::format("{}={}", name, value));
  if (!spec.input.empty()) {
    command.insert(command.end(),
                   {own_program().string(), "run", "--keys-on-input", "--session", session, "--"});
  }
  command.insert(command.end(), spec.command.begin(), spec.command.end());
  return command;
}

// Keeps a library that the user chose, also after a launcher that does not pass variables on.
void add_probe_library(ChildSpec& spec) {
  constexpr const char* variable = "EVENTSPACE_PROBE_LIBRARY";
  if (const char* const chosen = std::getenv(variable)) {
    spec.environment.emplace(variable, chosen);
  } else if (const auto found = find_probe_library()) {
    spec.environment.emplace(variable, found->string());
  }
}

}  // namespace

ApplicationRun::ApplicationRun(Config config, std::ostream& messages)
    : config_(std::move(config)), messages_(&messages) {
  complete_program(config_.command.at(0));
  start_all();
}

void ApplicationRun::start_all() {
  try {
    for (const ProcessPlan& process : config_.plan->processes) {
      ChildSpec spec = spec_for(process);
      members_.push_back({process.name, ChildProcess::start(spec)});
      overwrite(spec.input);
    }
  } catch (const Error&) {
    signal_all(SIGKILL);
    for (Member& member : members_) member.process.wait();
    throw;
  }
}

ChildSpec ApplicationRun::spec_for(const ProcessPlan& process) const {
  ChildSpec spec{config_.command,
                 {{"EVENTSPACE_PATHMAP", config_.pathmap.string()},
                  {"EVENTSPACE_PROCESS", process.name},
                  {"EVENTSPACE_SESSION", config_.session},
                  {"EVENTSPACE_NODE", config_.plan->nodes[process.node].name},
                  {"EVENTSPACE_PROGRAM", own_program().string()}}};
  if (!config_.collect) spec.environment.emplace("EVENTSPACE_COLLECT", "0");
  add_probe_library(spec);
  const std::vector<std::string>& launch = config_.plan->nodes[process.node].launch;
  if (!launch.empty() && config_.keys) spec.input = to_text(config_.keys->keys());
  if (!launch.empty()) spec.command = behind(launch, spec, config_.session);
  return spec;
}

bool ApplicationRun::wait(SignalWaiter& signals) {
  using namespace std::chrono_literals;
  while (running() > 0) {
    const auto signal = signals.next(1s);
    if (signal && *signal != SIGCHLD) pass_on(*signal);
    collect_ended();
  }
  return fine_;
}

void ApplicationRun::pass_on(int signal) {
  signal_all(asked_to_stop_ ? SIGKILL : signal);
  fmt::print(
      *messages_, "eventspace: {}\n",
      asked_to_stop_ ? "killed the application" : "asked the application to stop; a second signal kills it");
  messages_->flush();
  asked_to_stop_ = true;
}

void ApplicationRun::signal_all(int signal) {
  for (Member& member : members_) member.process.signal(signal);
}

void ApplicationRun::collect_ended() {
  for (Member& member : members_) {
    if (member.ended) continue;
    const auto state = member.process.poll();
    if (!state) continue;
    member.ended = true;
    if (!state->is_fine()) report(member, *state);
  }
}

void ApplicationRun::report(const Member& member, ExitState state) {
  fmt::print(*messages_, "eventspace: process {} (pid {}) {}; {} still running\n", member.name,
             member.process.pid(), to_string(state), running());
  messages_->flush();
  if (config_.kill_on_failure && fine_) signal_all(SIGTERM);
  fine_ = false;
}

std::size_t ApplicationRun::running() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [](const Member& member) { return !member.ended; }));
}

}  // namespace eventspace
