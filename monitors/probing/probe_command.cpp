#include <CLI/CLI.hpp>

#include <iostream>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/probing/nodes/node_orders.h"
#include "monitors/probing/probe_table.h"
#include "monitors/probing/work/probe_work.h"
#include "monitors/probing/work/variable_phases.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/processes/descriptor_limit.h"

namespace eventspace {
namespace {

struct ProbeOptions {
  ProbeRequest request;
  NodeChoice nodes;
  std::string pattern;
  VariablePhases read;
  bool has_histogram{false};
  bool is_removal{false};
  bool is_switching_on{false};
  bool is_switching_off{false};
  Format format{Format::text};
};

int remove_left(const ProbeOptions& options) {
  if (options.request.processes.is_empty() && options.nodes.pathmap.empty())
    throw ConfigurationError(ask_for_processes());
  if (!options.nodes.is_here()) return detach_on_nodes(options.request.processes, options.nodes);
  return remove_all_probes(options.request.processes) ? exit_fine : exit_unreachable;
}

/// The new state of existing probes; nullopt: new probes are put in.
std::optional<ProbeState> switched_to(const ProbeOptions& options) {
  if (options.is_switching_on) return ProbeState::on;
  if (options.is_switching_off) return ProbeState::off;
  if (options.is_removal && !options.pattern.empty()) return ProbeState::removed;
  return std::nullopt;
}

int switch_single(const ProbeOptions& options, ProbeState to) {
  ProbeRequest request = options.request;
  request.processes = processes_on(options.nodes, request.processes);
  if (request.task != ProbeTask() || request.duration || options.has_histogram)
    throw ConfigurationError(
        "--on, --off and --remove act on existing probes and cannot be combined with options of new probes");
  check_request(request, "PATTERN");
  if (!options.nodes.is_here()) return switch_on_nodes(request, options.nodes, to);
  return switch_probes_at(request, to) ? exit_fine : exit_unreachable;
}

int read_from_outside(ProbeOptions& options) {
  const auto phase = checked_phase(std::exchange(options.request.task.phase, std::nullopt));
  if (!options.pattern.empty() || !options.request.modules.empty() || options.is_removal ||
      options.is_switching_on || options.is_switching_off || options.has_histogram ||
      options.request.task != ProbeTask() || !options.request.callers.empty())
    throw ConfigurationError(
        "--variable reads variables without probes; of the options of probes, only --phase and --for apply "
        "to it");
  options.read.processes = processes_on(options.nodes, options.request.processes);
  if (options.read.processes.is_empty()) throw ConfigurationError(ask_for_processes());
  if (options.request.duration && !phase)
    throw ConfigurationError("--for needs --phase: without --phase, variables are read once");
  options.read.duration = options.request.duration;
  options.read.phase = phase;
  options.read.format = options.format;
  return options.nodes.is_here() ? read_variables(options.read)
                                 : read_variables_on_nodes(options.read, options.nodes);
}

int probe(ProbeOptions& options) {
  // `probe --remove PATHMAP` is called without a pattern,
  if (options.is_removal && options.request.processes.is_empty() && options.nodes.is_here())
    options.nodes.pathmap = std::exchange(options.pattern, {});
  if (!options.read.variables.empty() && options.nodes.is_here() && looks_like_pathmap(options.pattern))
    options.nodes.pathmap = std::exchange(options.pattern, {});  // and so is `probe --variable NAME PATHMAP`
  check_nodes(options.nodes, options.request.processes);
  if (!options.read.variables.empty()) return read_from_outside(options);
  ProbeRequest& request = options.request;
  if (!options.pattern.empty()) request.patterns = {options.pattern};
  if (const auto to = switched_to(options)) return switch_single(options, *to);
  if (options.is_removal) return remove_left(options);
  request.task.has_times |= options.has_histogram;
  request.processes = processes_on(options.nodes, request.processes);
  check_request(request, "PATTERN");
  if (!options.nodes.is_here())
    return probe_on_nodes(request, options.nodes, options.format, options.has_histogram);
  // Set up before the first probe is in: from then on a signal must not end this process at once.
  StopSignals signals;
  (void)raise_descriptor_limit();
  ProbedProcesses probed(request);
  if (probed.processes().empty()) return exit_unreachable;
  probed.watch(signals);
  probed.remove();
  const ResultTable table = options.has_histogram ? histogram_table(probed.processes(), options.format)
                                                  : probe_table(probed.processes(), request.compiled,
                                                                probed.watched(), options.format);
  table.print(std::cout, options.format);
  return probed.has_all() ? exit_fine : exit_unreachable;
}

void add_options(CLI::App& app, ProbeOptions& options) {
  app.add_option("PATTERN", options.pattern, "Functions, such as 'solve*'; see `functions`");
  add_nodes(app, options.nodes);
  add_processes(app, options.request.processes);
  add_measuring(app, options.request);
  app.add_flag("--histogram", options.has_histogram, "Print a histogram of durations");
  add_for(app, options.request.duration);
  app.add_option("--variable", options.read.variables,
                 "Read this global variable now, such as 'residual:double'; without PATTERN")
      ->type_name("NAME[:TYPE]")
      ->allow_extra_args(false);
  const auto flag = [&app](const char* name, bool& value, const char* text) {
    return app.add_flag(name, value, text);
  };
  CLI::Option* const on =
      flag("--on", options.is_switching_on, "Switch on probes that another eventspace has put in");
  CLI::Option* const off =
      flag("--off", options.is_switching_off, "Switch off probes that another eventspace has put in");
  flag("--remove", options.is_removal,
       "Remove these probes, or all without PATTERN, also those of a killed eventspace")
      ->excludes(on)
      ->excludes(off);
  on->excludes(off);
  add_format(app, options.format);
}

}  // namespace

Command probe_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace probe 'solve*' --name lmp --for 5s",
                    "how often each function of the solver is called"},
                   {"eventspace probe solve --pid 4711 --time --when 'int0 > 100' --for 5s",
                    "the durations of calls with a large first argument"},
                   {"eventspace probe malloc_page --calls-from 'solve*' --pid 4711 --time --for 5s",
                    "only calls by the solver, one row for each call site"},
                   {"eventspace probe solve --hosts 'n[1-4]' --name lmp --time --for 5s",
                    "on several machines: the minimum, mean and maximum over processes"},
                   {"eventspace probe solve --pid 4711 --off",
                    "switches off a probe of a running `eventspace attach`"},
                   {"eventspace probe 'io_*' app.yaml --off",
                    "switches off some of them, on all machines of a session"},
                   {"eventspace probe swap --pid 4711 --set 'in += 1 at f' --set 'in += -1 after f' "
                    "--when 'in > 0'",
                    "only calls while the thread is in f"},
                   {"eventspace probe --variable residual:double --name lmp --phase 1s --for 1min",
                    "the value of a variable each second, without a probe"},
                   {"eventspace probe --pid 4711 --remove", "removes probes of a killed eventspace"}},
      .statuses = {{exit_unreachable, "a process could not be probed, or has no such function"}}};
  return {"probe", "Count and measure function calls in running programs",
          with_options<ProbeOptions, ProbeOptions&>(add_options, probe), guide};
}

}  // namespace eventspace
