#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <optional>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/probing/attaching/held_program.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/nodes/node_orders.h"
#include "monitors/probing/probe_table.h"
#include "monitors/probing/work/probe_work.h"
#include "monitors/probing/work/process_segments.h"
#include "monitors/running/foreground_command.h"
#include "monitors/text/plain_output.h"
#include "tuplespace/processes/descriptor_limit.h"

namespace eventspace {
namespace {

struct AttachOptions {
  ProbeRequest request;
  NodeChoice nodes;
  std::string session;
  Format format{Format::text};
};

std::string session_for(const AttachOptions& options) {
  if (!options.session.empty()) return options.session;
  return program_of(chosen_processes(options.request.processes).front());
}

void report_unrecorded(const std::vector<ProbedProcess>& processes) {
  for (const ProbedProcess& process : processes) {
    if (const std::uint64_t unrecorded = unrecorded_in(process); unrecorded > 0)
      print_message(fmt::format("process {}: {} calls were counted but not recorded: {}", process.pid(),
                                unrecorded, why_unrecorded_calls()));
  }
}

/// Puts the probes in, resumes a held program, and watches until the end. Returns the exit status.
int attach_to(AttachOptions& options, HeldProgram* held) {
  const std::string session = session_for(options);
  ProcessSegments segments(session, options.request.task.values);
  // Set up before the first probe is in: from then on a signal must not end this process at once.
  StopSignals signals;
  (void)raise_descriptor_limit();
  ProbedProcesses probed(options.request, [&](std::int32_t pid, ProbePlan& plan) {
    return std::optional(segments.make(pid, plan));
  });
  if (held != nullptr) held->go_on();
  if (probed.processes().empty()) return exit_unreachable;
  print_message(fmt::format("session {0}; watch it with `eventspace events {0}`", session));
  probed.watch(signals, [&] { segments.refresh(probed.processes()); });
  probed.remove();
  report_unrecorded(probed.processes());
  probe_table(probed.processes(), options.request.compiled, probed.watched(), options.format)
      .print(std::cout, options.format);
  return probed.has_all() ? exit_fine : exit_unreachable;
}

int attach_to_running(AttachOptions& options) {
  ProbeRequest& request = options.request;
  request.processes = processes_on(options.nodes, request.processes);
  check_request(request, "--probe GLOB");
  if (options.nodes.is_here()) return attach_to(options, nullptr);
  return attach_on_nodes(request, options.session, options.nodes, options.format);
}

int attach(AttachOptions& options, const std::vector<std::string>& command) {
  ProbeRequest& request = options.request;
  if (command.empty()) return attach_to_running(options);
  if (!options.nodes.is_here())
    throw ConfigurationError(
        "CMD cannot be combined with PATHMAP or --hosts: a command is started on this machine only; on other "
        "machines, attach to the program when it runs");
  if (!request.processes.is_empty())
    throw ConfigurationError(
        "CMD cannot be combined with options that choose running processes, such as --pid and --name");
  request.processes.pids = {1};  // a placeholder for check_request()
  check_request(request, "--probe GLOB");
  HeldProgram held(command);
  request.processes.pids = {held.pid()};
  const int status = attach_to(options, &held);
  std::cout.flush();
  const ExitState state = held.wait();
  return status == exit_fine ? end_as(state) : status;
}

int detach(const ProcessChoice& processes, const NodeChoice& nodes) {
  check_nodes(nodes, processes);
  if (!nodes.is_here()) return detach_on_nodes(processes, nodes);
  if (processes.is_empty()) throw ConfigurationError(ask_for_processes());
  return remove_all_probes(processes) ? exit_fine : exit_unreachable;
}

void add_options(CLI::App& app, AttachOptions& options) {
  add_nodes(app, options.nodes);
  add_processes(app, options.request.processes);
  app.add_option("--probe", options.request.patterns,
                 "Record calls of these functions, such as 'solve*'; see `functions`")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  add_measuring(app, options.request);
  add_session(app, options.session, "the name of the program");
  add_for(app, options.request.duration);
  add_format(app, options.format);
}

}  // namespace

Command attach_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace attach --name lmp --probe 'compute*' --time",
                    "records calls in all processes of a program; then `eventspace events lmp`"},
                   {"eventspace attach --hosts 'n[1-4]' --name lmp --probe 'compute*' --time",
                    "on several machines; then `eventspace events lmp` on each"},
                   {"eventspace attach --probe main --value int0 -- ls",
                    "starts a program and records from its first call on"}},
      .statuses = {{exit_unreachable, "a process could not be probed, or has no such function"}},
      .usages = {"eventspace attach --probe GLOB [PATHMAP] [OPTIONS]",
                 "eventspace attach --probe GLOB [OPTIONS] -- CMD..."}};
  const auto command = std::make_shared<std::vector<std::string>>();
  return {"attach", "Record function calls in running programs for monitors",
          [command](CLI::App& app) {
            const auto options = std::make_shared<AttachOptions>();
            add_options(app, *options);
            return [options, command] { return attach(*options, *command); };
          },
          guide, command};
}

Command detach_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace detach --name lmp", "removes all probes from all processes of a program"}},
      .statuses = {{exit_unreachable, "the probes of a process could not be removed"}}};
  return {"detach", "Remove probes from running programs",
          [](CLI::App& app) {
            const auto processes = std::make_shared<ProcessChoice>();
            const auto nodes = std::make_shared<NodeChoice>();
            add_nodes(app, *nodes);
            add_processes(app, *processes);
            return [processes, nodes] { return detach(*processes, *nodes); };
          },
          guide};
}

}  // namespace eventspace
