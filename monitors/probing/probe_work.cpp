#include "monitors/probing/probe_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

std::string removal_text(const Removal& removal) {
  const std::string forked = removal.processes > 1 ? fmt::format(" from it and {} that it has forked",
                                                                 counted(removal.processes - 1, "process"))
                                                   : "";
  return fmt::format("{} removed{}; its threads stood still for {} at most",
                     counted(removal.removed, "probe"), forked, short_duration(removal.longest_stop));
}

void report(std::int32_t pid, const Removal& removal) {
  print_message(fmt::format("process {}: {}", pid, removal_text(removal)));
  if (removal.foreign > 0)
    print_message(fmt::format("process {}: {} changed by another tool meanwhile, and left so", pid,
                              counted(removal.foreign, "function")));
  if (!removal.is_whole)
    print_message(
        fmt::format("process {}: a thread stays in the memory of the probes, which is left to it", pid));
}

/// Adds the functions of the second plan that the first does not have.
void merge(ProbePlan& plan, ProbePlan more) {
  for (PlannedFunction& function : more.functions) {
    const auto is_same = [&](const PlannedFunction& other) {
      return other.probe.place == function.probe.place;
    };
    if (std::ranges::none_of(plan.functions, is_same)) plan.functions.push_back(std::move(function));
  }
  for (const auto& [refusal, count] : more.refused) plan.refused[refusal] += count;
  for (const auto& [refusal, count] : more.refused_at_exits) plan.refused_at_exits[refusal] += count;
  for (std::string& complaint : more.complaints)
    if (std::ranges::find(plan.complaints, complaint) == plan.complaints.end())
      plan.complaints.push_back(std::move(complaint));
}

}  // namespace

void add_measuring(CLI::App& app, ProbeRequest& request) {
  app.add_option("--module", request.modules,
                 "Only functions of programs and libraries with this path or file name [all]")
      ->type_name("GLOB");
  app.add_flag("--time", request.task.has_times, "Measures calls from entry to exit, too");
  app.add_option(
         "--when", request.task.when,
         "Only calls for which this condition holds count, such as 'int0 > 8 and duration > 1ms' [all]")
      ->type_name("EXPR");
  app.add_option("--value", request.task.values,
                 "Adds up this number of each call, such as 'arg1' or 'int_result * 8'; up to 4 times")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  app.add_option("--every", request.task.every, "Only one call of so many counts")
      ->type_name("N")
      ->check(whole_number_from(1, 1e9));
}

void check_request(ProbeRequest& request, const std::string& how) {
  if (request.processes.is_empty())
    throw ConfigurationError("say in which processes: --pid N or --name GLOB");
  if (request.patterns.empty())
    throw ConfigurationError(
        fmt::format("say which functions: {}, such as 'solve*'; `eventspace functions` lists them", how));
  for (const std::string& pattern : request.patterns) require_glob("the pattern", pattern);
  require_glob("the pattern of --module", request.modules);
  request.compiled = compile_task(request.task);
  if (!can_decode())
    throw EnvironmentError(
        "this build puts no probes into programs: it was built without Zydis (Debian: libzydis-dev)");
}

void GroupedRefusals::add(std::int32_t pid, const std::string& reason) {
  const std::string name = fmt::format("process {}", pid);
  std::string general = reason;
  if (const std::size_t at = general.find(name); at != std::string::npos)
    general.replace(at, name.size(), "process {}");
  pids_[general].push_back(pid);
}

void GroupedRefusals::report() const {
  constexpr std::size_t most_named = 5;
  for (const auto& [reason, pids] : pids_) {
    const std::size_t place = reason.find("process {}");
    const bool is_named = place != std::string::npos;
    if (pids.size() == 1) {
      std::string text = reason;
      if (is_named) text.replace(place, 10, fmt::format("process {}", pids[0]));
      print_message(is_named ? text : fmt::format("process {}: {}", pids[0], text));
      continue;
    }
    std::string text = reason;
    if (is_named) text.replace(place, 10, "the process");
    const std::vector<std::int32_t> named(pids.begin(), pids.begin() + std::min(pids.size(), most_named));
    print_message(fmt::format("{} processes ({}{}): {}", pids.size(), fmt::join(named, ", "),
                              pids.size() > most_named ? " ..." : "", text));
  }
}

ProbedProcesses::ProbedProcesses(const ProbeRequest& request, const Prepare& prepare) : request_(request) {
  GroupedRefusals refused;
  for (const std::int32_t pid : chosen_processes(request.processes)) {
    try {
      place(pid, prepare, refused);
    } catch (const EnvironmentError& error) {
      refused.add(pid, error.what());
      has_all_ = false;
    }
  }
  refused.report();
}

void ProbedProcesses::place(std::int32_t pid, const Prepare& prepare, GroupedRefusals& refused) {
  ProbePlan plan = plan_for(pid, refused);
  const auto recorded = prepare ? prepare(pid, plan) : std::nullopt;
  ProbedProcess process(pid, plan, request_.compiled, recorded);
  for (const std::string& refusal : process.refusals()) refused.add(pid, refusal);
  has_all_ &= !process.functions().empty();
  print_message(fmt::format("process {}: {}; its threads stood still for {} at most", pid,
                            counted(process.functions().size(), "probe"),
                            short_duration(process.longest_stop())));
  processes_.push_back(std::move(process));
}

ProbePlan ProbedProcesses::plan_for(std::int32_t pid, GroupedRefusals& refused) const {
  ProbePlan plan;
  for (const std::string& pattern : request_.patterns)
    merge(plan, plan_probes(pid, pattern, request_.modules, request_.compiled.has_exits));
  for (const std::string& complaint : plan.complaints) refused.add(pid, complaint);
  for (const auto& [refusal, count] : plan.refused)
    refused.add(pid,
                fmt::format("{} cannot have a probe: {}", counted(count, "function"), to_string(refusal)));
  for (const auto& [refusal, count] : plan.refused_at_exits)
    refused.add(pid, fmt::format("{} cannot have a probe at all exits, which times and results need: {}",
                                 counted(count, "function"), to_string(refusal)));
  const std::string patterns = fmt::format("{}", fmt::join(request_.patterns, "', '"));
  if (plan.functions.empty())
    throw EnvironmentError(
        fmt::format("process {} has no function '{}' that can have a probe", pid, patterns));
  if (plan.functions.size() > ProbeArea::most_probes)
    throw ConfigurationError(fmt::format("{} match '{}'; at most {} can have probes at a time",
                                         counted(plan.functions.size(), "function"), patterns,
                                         ProbeArea::most_probes));
  return plan;
}

void ProbedProcesses::watch(StopSignals& signals, const std::function<void()>& looked) {
  using std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds interval = std::chrono::milliseconds(100);
  const auto begun = steady_clock::now();
  bool is_any_there = true;
  while (is_any_there) {
    is_any_there = false;
    for (ProbedProcess& process : processes_) is_any_there |= process.look();
    if (looked) looked();
    watched_ = steady_clock::now() - begun;
    const auto left = request_.duration ? *request_.duration - watched_ : interval;
    if (left <= std::chrono::nanoseconds{} || signals.wait_for(std::min(left, interval))) break;
  }
  watched_ = steady_clock::now() - begun;
}

void ProbedProcesses::remove() {
  for (ProbedProcess& process : processes_) report(process.pid(), process.remove());
}

bool remove_all_probes(const ProcessChoice& processes) {
  GroupedRefusals refused;
  for (const std::int32_t pid : chosen_processes(processes)) {
    try {
      report(pid, remove_probes(pid));
    } catch (const EnvironmentError& error) {
      refused.add(pid, error.what());
    }
  }
  refused.report();
  return refused.is_empty();
}

}  // namespace eventspace
