#include "monitors/probing/probe_command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/probing/probed_process.h"
#include "monitors/probing/process_options.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

struct ProbeOptions {
  ProcessChoice processes;
  std::string pattern;
  std::string modules;
  std::optional<std::chrono::nanoseconds> duration;
  bool is_removal{false};
  Format format{Format::text};
};

void require_options(const ProbeOptions& options) {
  if (options.processes.is_empty())
    throw ConfigurationError("say in which processes: --pid N or --name GLOB");
  if (!options.is_removal && options.pattern.empty())
    throw ConfigurationError(
        "say which functions: PATTERN, such as 'solve*'; `eventspace functions` lists them");
  require_glob("the pattern", options.pattern);
  require_glob("the pattern of --module", options.modules);
  if (!can_decode())
    throw EnvironmentError(
        "this build puts no probes into programs: it was built without Zydis (Debian: libzydis-dev)");
}

void report(const ProbePlan& plan, std::int32_t pid) {
  for (const std::string& complaint : plan.complaints) print_message(complaint);
  for (const auto& [refusal, count] : plan.refused)
    print_message(fmt::format("process {}: {} cannot have a probe: {}", pid, counted(count, "function"),
                              to_string(refusal)));
}

ProbePlan plan_for(std::int32_t pid, const ProbeOptions& options) {
  ProbePlan plan = plan_probes(pid, options.pattern, options.modules);
  report(plan, pid);
  if (plan.functions.empty())
    throw EnvironmentError(
        fmt::format("process {} has no function '{}' that can have a probe", pid, options.pattern));
  if (plan.functions.size() > ProbeArea::most_probes)
    throw ConfigurationError(fmt::format("{} match '{}'; at most {} can have probes at a time",
                                         counted(plan.functions.size(), "function"), options.pattern,
                                         ProbeArea::most_probes));
  return plan;
}

void report(const ProbedProcess& process) {
  for (const std::string& refusal : process.refusals()) print_message(refusal);
  print_message(fmt::format("process {}: {}; its threads stood still for {} at most", process.pid(),
                            counted(process.functions().size(), "probe"),
                            short_duration(process.longest_stop())));
}

void report(std::int32_t pid, const Removal& removal) {
  print_message(fmt::format("process {}: {} removed{}; its threads stood still for {} at most", pid,
                            counted(removal.removed, "probe"),
                            removal.processes > 1 ? fmt::format(" from it and {} that it has forked",
                                                                counted(removal.processes - 1, "process"))
                                                  : "",
                            short_duration(removal.longest_stop)));
  if (removal.foreign > 0)
    print_message(fmt::format("process {}: {} changed by another tool meanwhile, and left so", pid,
                              counted(removal.foreign, "function")));
  if (!removal.is_whole)
    print_message(
        fmt::format("process {}: a thread stays in the memory of the probes, which is left to it", pid));
}

/// Puts probes into all processes. Returns whether each got one at least; why not is said.
bool place(const ProbeOptions& options, std::vector<ProbedProcess>& probed) {
  bool has_all = true;
  for (const std::int32_t pid : chosen_processes(options.processes)) {
    try {
      probed.emplace_back(pid, plan_for(pid, options));
      report(probed.back());
      has_all &= !probed.back().functions().empty();
    } catch (const EnvironmentError& error) {
      print_message(error.what());
      has_all = false;
    }
  }
  return has_all;
}

// Looks again and again, so that what a process has counted until it ends is not lost.
void watch(std::vector<ProbedProcess>& probed, const ProbeOptions& options, StopSignals& signals,
           std::chrono::nanoseconds& watched) {
  using std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds interval = std::chrono::milliseconds(100);
  const auto begun = steady_clock::now();
  bool is_any_there = true;
  while (is_any_there) {
    is_any_there = false;
    for (ProbedProcess& process : probed) is_any_there |= process.look();
    watched = steady_clock::now() - begun;
    const auto left = options.duration ? *options.duration - watched : interval;
    if (left <= std::chrono::nanoseconds{} || signals.wait_for(std::min(left, interval))) break;
  }
  watched = steady_clock::now() - begun;
}

void print(const std::vector<ProbedProcess>& probed, std::chrono::nanoseconds watched, Format format) {
  struct Row {
    std::int32_t pid;
    const ProbedProcess::Counted* counted;
  };
  std::vector<Row> rows;
  for (const ProbedProcess& process : probed)
    for (const ProbedProcess::Counted& function : process.functions())
      rows.push_back({process.pid(), &function});
  std::ranges::stable_sort(rows, std::greater{}, [](const Row& row) { return row.counted->calls; });
  const double seconds = std::max(std::chrono::duration<double>(watched).count(), 1e-9);
  ResultTable table({"process", "calls", "calls_per_s", "module", "function"});
  for (const Row& row : rows) {
    const double rate = static_cast<double>(row.counted->calls) / seconds;
    table.add({row.pid, row.counted->calls, static_cast<std::uint64_t>(rate), row.counted->module,
               row.counted->function});
  }
  table.print(std::cout, format);
}

int remove_left(const ProbeOptions& options) {
  for (const std::int32_t pid : chosen_processes(options.processes)) report(pid, remove_probes(pid));
  return exit_fine;
}

int probe(const ProbeOptions& options) {
  require_options(options);
  StopSignals
      signals;  // before the first probe is in: from then on a signal must not end this process at once
  if (options.is_removal) return remove_left(options);
  std::vector<ProbedProcess> probed;
  const bool has_all = place(options, probed);
  std::chrono::nanoseconds watched{};
  if (!probed.empty()) watch(probed, options, signals, watched);
  for (ProbedProcess& process : probed) report(process.pid(), process.remove());
  if (!probed.empty()) print(probed, watched, options.format);
  return has_all ? exit_fine : exit_unreachable;
}

void add_options(CLI::App& app, ProbeOptions& options) {
  app.add_option("PATTERN", options.pattern, "The functions, a glob such as 'solve*'; see `functions`");
  add_processes(app, options.processes);
  app.add_option("--module", options.modules,
                 "Only functions of programs and libraries with this path or file name [all]")
      ->type_name("GLOB");
  add_duration(app, "--for", options.duration, "Counts for this time [until Ctrl-C]");
  app.add_flag("--remove", options.is_removal, "Removes probes that an eventspace left which was killed");
  add_format(app, options.format);
}

}  // namespace

Command probe_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace probe 'solve*' --name lmp --for 5s",
                    "how often each function of the solver is called"},
                   {"eventspace probe --pid 4711 --remove", "after an eventspace was killed"}},
      .statuses = {{exit_unreachable, "a process could not have probes, or has no such function"}}};
  return {"probe",
          "Counts the calls of functions of programs that run",
          [](CLI::App& app) {
            const auto options = std::make_shared<ProbeOptions>();
            add_options(app, *options);
            return [options] { return probe(*options); };
          },
          {},
          guide};
}

}  // namespace eventspace
