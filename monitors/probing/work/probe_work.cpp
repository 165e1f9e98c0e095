#include "monitors/probing/work/probe_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/groups/selection.h"
#include "monitors/probing/work/let_planning.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

constexpr std::chrono::nanoseconds between_looks = std::chrono::milliseconds(100);
constexpr std::size_t max_reported = 8;  // processes with a line of their own; further ones share a line

std::string removal_text(const Removal& removal) {
  const std::string forked = removal.processes > 1 ? fmt::format(" from it and {} that it forked",
                                                                 counted(removal.processes - 1, "process"))
                                                   : "";
  return fmt::format("{} removed{}; its threads were stopped for at most {}",
                     counted(removal.removed, "probe"), forked, short_duration(removal.longest_stop));
}

void report(std::int32_t pid, const Removal& removal) {
  print_message(fmt::format("process {}: {}", pid, removal_text(removal)));
  if (removal.foreign > 0)
    print_message(fmt::format("process {}: left {} unchanged that another tool has changed", pid,
                              counted(removal.foreign, "function")));
  if (!removal.is_whole)
    print_message(
        fmt::format("process {}: the memory of the probes is not removed: a thread is still in it", pid));
}

void report(std::int32_t pid, const SwitchedProbes& switched, ProbeState to) {
  const std::size_t before = switched.probes - switched.changed;
  print_message(fmt::format("process {}: {} {}{}; its threads were stopped for at most {}", pid,
                            counted(switched.probes, "probe"), done_text(to),
                            before == 0 ? "" : fmt::format(" ({} already before)", before),
                            short_duration(switched.longest_stop)));
}

/// The places of probes at the functions of the request.
std::vector<std::uint64_t> places_of(std::int32_t pid, const ProbeRequest& request) {
  std::vector<std::uint64_t> places;
  for (const std::string& pattern : request.patterns)
    for (const PlannedFunction& function :
         plan_probes(pid, pattern, request.modules, false, request.cache.get(), request.callers).functions)
      places.push_back(function.probe.place);
  return places;
}

/// Adds the functions of the second plan that the first does not have.
void merge(ProbePlan& plan, ProbePlan more) {
  std::set<std::uint64_t> places;
  for (const PlannedFunction& function : plan.functions) places.insert(function.probe.place);
  for (PlannedFunction& function : more.functions)
    if (places.insert(function.probe.place).second) plan.functions.push_back(std::move(function));
  for (const auto& [refusal, count] : more.refused) plan.refused[refusal] += count;
  for (const auto& [refusal, count] : more.refused_at_exits) plan.refused_at_exits[refusal] += count;
  for (const auto& [refusal, count] : more.refused_calls) plan.refused_calls[refusal] += count;
  for (std::string& complaint : more.complaints)
    if (std::ranges::find(plan.complaints, complaint) == plan.complaints.end())
      plan.complaints.push_back(std::move(complaint));
}

bool is_running(std::int32_t pid) {
  const auto stat = read_process_stat(pid);
  return stat && stat->state != 'Z' && stat->state != 'X';
}

/// The processes that are chosen now; empty if there are none, or the group was removed. Nullopt if that
/// cannot be determined, for example for lack of descriptors; the probes are then left unchanged until the
/// next time.
std::optional<std::vector<std::int32_t>> chosen_now(const ProcessChoice& choice) try {
  const ProcessGroups groups = choice.named_groups().empty() ? ProcessGroups() : NamedGroups::all();
  check_groups(choice, groups);
  const std::vector<ProcessFacts> processes = facts_for(choice, groups);
  if (processes.empty()) return std::nullopt;  // e.g. for lack of descriptors
  std::vector<std::int32_t> pids;
  for (const ProcessFacts* const process : selected(choice, groups, processes)) pids.push_back(process->pid);
  return pids;
} catch (const ConfigurationError&) {
  return std::vector<std::int32_t>();
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace

void add_measuring(CLI::App& app, ProbeRequest& request) {
  app.add_option("--module", request.modules,
                 "Only functions of programs and libraries with this path or file name [all]")
      ->type_name("GLOB");
  app.add_option("--calls-from", request.callers, "Probe only the calls by functions of this name")
      ->type_name("GLOB");
  app.add_flag("--time", request.task.has_times, "Also measure the durations of calls");
  app.add_option(
         "--when", request.task.when,
         "Count only calls for which this condition holds, such as 'int0 > 8 and duration > 1ms' [all]")
      ->type_name("EXPR");
  app.add_option("--value", request.task.values,
                 "Add up this number over all calls, such as 'arg1' or 'int_result * 8'; up to 4 times")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  add_duration(app, "--phase", request.task.phase,
               "Count at most one call of a function in this time, the first for which --when holds; with "
               "--variable: read once in this time");
  app.add_option(
         "--set", request.task.lets,
         "Set a variable that --when and --value can read, such as 'inside += 1 at =solve' or, at its exits, "
         "'inside += -1 after =solve'; up to 8 times")
      ->type_name("LET")
      ->allow_extra_args(false);
  app.add_option("--every", request.task.every, "Count only every N-th call")
      ->type_name("N")
      ->check(whole_number_from(1, 1e9));
}

void check_request(ProbeRequest& request, const std::string& how) {
  if (request.processes.is_empty()) throw ConfigurationError(ask_for_processes());
  if (request.patterns.empty())
    throw ConfigurationError(fmt::format(
        "no functions are chosen; use {}, such as 'solve*' (`eventspace functions` lists functions)", how));
  for (const std::string& pattern : request.patterns) require_function_pattern(pattern);
  require_glob("the pattern of --module", request.modules);
  require_function_pattern(request.callers);
  request.compiled = compile_task(request.task);
  if (!can_decode())
    throw EnvironmentError(
        "this build cannot put probes into programs: it was built without Zydis (Debian: libzydis-dev)");
}

ProbedProcesses::ProbedProcesses(const ProbeRequest& request, const std::vector<std::int32_t>& pids,
                                 const Prepare& prepare)
    : request_(request), prepare_(prepare) {
  place(pids);
}

ProbedProcesses::ProbedProcesses(const ProbeRequest& request, const Prepare& prepare)
    : request_(request), prepare_(prepare) {
  place(chosen_processes(request.processes));
  refusals_.report();
  report_placed();
}

void ProbedProcesses::refuse(std::int32_t pid, const std::string& why) {
  if (!refused_.emplace(pid, why).second) return;  // the process has come back with the same refusal
  refusals_.add(pid, why);
  if (is_following_) refused_later_.add(pid, why);
}

void ProbedProcesses::place(const std::vector<std::int32_t>& pids) {
  for (const std::int32_t pid : pids) {
    if (!known_.insert(pid).second) continue;
    // A child that was forked since shares the probes of its parent, so its calls count with the parent's.
    has_own_probes(pid) ? void(forked_.insert(pid)) : place_or_refuse(pid);
  }
}

void ProbedProcesses::place_or_refuse(std::int32_t pid) {
  try {
    place(pid);
    later_without_.erase(pid);
  } catch (const Error& error) {
    // When following, a process that cannot be probed does not end the work for the others.
    if (!is_following_ && dynamic_cast<const EnvironmentError*>(&error) == nullptr) throw;
    // When following, processes may end before they can be probed.
    if (is_following_ && !is_running(pid)) return;
    refuse(pid, error.what());
    if (is_following_) later_without_.insert(pid);
    has_all_ = false;
  }
}

void ProbedProcesses::place(std::int32_t pid) {
  ProbePlan plan = plan_for(pid);
  const auto recorded = prepare_ ? prepare_(pid, plan) : std::nullopt;
  ProbedProcess process(pid, plan, request_.compiled, recorded);
  require_lets(plan, request_.compiled, process);
  for (const std::string& refusal : process.refusals()) refuse(pid, refusal);
  has_all_ &= process.has_asked_for();
  processes_.push_back(std::move(process));
}

void ProbedProcesses::report_placed() const {
  if (processes_.size() > max_reported) {
    std::size_t probes = 0;
    std::chrono::nanoseconds longest{};
    for (const ProbedProcess& process : processes_) {
      probes += process.functions().size();
      longest = std::max(longest, process.longest_stop());
    }
    return print_message(fmt::format("{} in {}; threads were stopped for at most {}",
                                     counted(probes, "probe"), counted(processes_.size(), "process"),
                                     short_duration(longest)));
  }
  for (const ProbedProcess& process : processes_)
    print_message(fmt::format("process {}: {}; its threads were stopped for at most {}", process.pid(),
                              counted(process.functions().size(), "probe"),
                              short_duration(process.longest_stop())));
}

ProbePlan ProbedProcesses::plan_for(std::int32_t pid) {
  ProbePlan plan;
  for (const std::string& pattern : request_.patterns)
    merge(plan, plan_probes(pid, pattern, request_.modules, request_.compiled.has_exits, request_.cache.get(),
                            request_.callers));
  for (const std::string& complaint : plan.complaints) refuse(pid, complaint);
  for (const auto& [refusal, count] : plan.refused)
    refuse(pid, fmt::format("{} cannot have a probe: {}", counted(count, "function"), to_string(refusal)));
  for (const auto& [refusal, count] : plan.refused_at_exits)
    refuse(pid, fmt::format("{} cannot have a probe at all exits, which times and results need: {}",
                            counted(count, "function"), to_string(refusal)));
  for (const auto& [refusal, count] : plan.refused_calls)
    refuse(pid, fmt::format("{} cannot have a probe: {}", counted(count, "call"), to_string(refusal)));
  const std::string patterns = fmt::format("{}", fmt::join(request_.patterns, "', '"));
  if (plan.functions.empty() && !request_.callers.empty())
    throw EnvironmentError(fmt::format(
        "process {} has no call of '{}' by '{}' that can have a probe (calls through pointers and "
        "calls of functions in other libraries cannot)",
        pid, patterns, request_.callers));
  if (plan.functions.empty())
    throw EnvironmentError(
        fmt::format("process {} has no function '{}' that can have a probe", pid, patterns));
  if (plan.functions.size() > ProbeArea::max_probes)
    throw ConfigurationError(
        fmt::format("{} match '{}'; at most {} can have probes at a time",
                    counted(plan.functions.size(), request_.callers.empty() ? "function" : "call"), patterns,
                    ProbeArea::max_probes));
  plan_lets(pid, request_.compiled, request_.modules, *request_.cache, plan);
  return plan;
}

void ProbedProcesses::report_not_stored() const {
  for (const ProbedProcess& process : processes_) {
    if (const std::uint64_t count = not_stored_in(process); count > 0)
      print_message(
          fmt::format("process {}: {} lost: {}", process.pid(), counted(count, "number"), why_not_stored()));
  }
}

void ProbedProcesses::report_variables() const {
  if (processes_.size() > max_reported) return;
  const auto& variables = request_.compiled.variables;
  for (const ProbedProcess& process : processes_)
    for (std::size_t i = 0; i < variables.size() && i < process.variables().size(); ++i) {
      const std::string value = std::visit([](auto number) { return fmt::format("{}", number); },
                                           variables[i].number(process.variables()[i]));
      print_message(fmt::format("process {}: {} is {}", process.pid(), variables[i].name, value));
    }
}

ProbedProcesses::~ProbedProcesses() {
  GroupedRefusals failed;  // the next tool finds them
  (void)take_out(failed);
}

bool ProbedProcesses::look() {
  bool is_any_there = false;
  for (ProbedProcess& process : processes_)
    is_any_there |= process.look() || (!process.has_probes() && !process.has_ended());
  return is_any_there;
}

void ProbedProcesses::follow(const std::vector<std::int32_t>& pids) {
  std::vector<ProbedProcess*> left;
  for (ProbedProcess& process : processes_)
    // Another process may have its id.
    if (process.has_probes() && (process.has_ended() || std::ranges::find(pids, process.pid()) == pids.end()))
      left.push_back(&process);
  GroupedRefusals failed;  // tried again until take_out() reports them
  (void)take_out(left, failed);
  forget_all_but(pids);
  for (const ProbedProcess* const process : left)
    if (!process->has_probes()) known_.erase(process->pid());
  // Forked children have lost their probes with their parents. Children that are chosen themselves get their
  // own.
  if (!left.empty())
    for (const std::int32_t pid : std::exchange(forked_, {})) known_.erase(pid);
  is_following_ = true;
  place(pids);
  is_following_ = false;
}

void ProbedProcesses::forget_all_but(const std::vector<std::int32_t>& pids) {
  std::set<std::int32_t> kept(pids.begin(), pids.end());
  for (const ProbedProcess& process : processes_)
    if (process.has_probes()) kept.insert(process.pid());
  std::erase_if(known_, [&](std::int32_t pid) { return !kept.contains(pid); });
}

void ProbedProcesses::watch(StopSignals& signals, const std::function<void()>& looked) {
  using std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds interval = between_looks;
  const auto begun = steady_clock::now();
  constexpr int looks_between_choices = 20;
  int looks = 0;
  bool is_any_there = true;
  while (is_any_there) {
    is_any_there = look();
    if (++looks % looks_between_choices == 0 && !request_.processes.has_pids_only())
      if (const auto chosen = chosen_now(request_.processes)) follow(*chosen);
    if (looked) looked();
    watched_ = steady_clock::now() - begun;
    const auto left = request_.duration ? *request_.duration - watched_ : interval;
    if (left <= std::chrono::nanoseconds{} || signals.wait_for(std::min(left, interval))) break;
  }
  watched_ = steady_clock::now() - begun;
}

void ProbedProcesses::remove() {
  GroupedRefusals failed;
  const std::vector<Removal> removals = take_out(failed);
  refused_later_.report();
  failed.report();
  report_variables();
  report_not_stored();
  has_all_ &= failed.is_empty();
  Removal all;
  for (std::size_t i = 0; i < removals.size(); ++i) {
    const Removal& one = removals[i];
    if (processes_.size() <= max_reported || one.foreign > 0 || !one.is_whole)
      report(processes_[i].pid(), one);
    all.removed += one.removed;
    all.processes += one.processes;
    all.longest_stop = std::max(all.longest_stop, one.longest_stop);
  }
  if (processes_.size() > max_reported)
    print_message(fmt::format("{} removed from {}; threads were stopped for at most {}",
                              counted(all.removed, "probe"), counted(all.processes, "process"),
                              short_duration(all.longest_stop)));
}

std::vector<Removal> ProbedProcesses::take_out(GroupedRefusals& failed) {
  std::vector<ProbedProcess*> all;
  for (ProbedProcess& process : processes_) all.push_back(&process);
  return take_out(all, failed);
}

std::vector<Removal> ProbedProcesses::take_out(const std::vector<ProbedProcess*>& processes,
                                               GroupedRefusals& failed) {
  const auto removed = ProbedProcess::remove_all(processes);
  std::vector<Removal> removals;
  for (std::size_t i = 0; i < removed.size(); ++i) {
    if (!removed[i].refusal.empty()) failed.add(processes[i]->pid(), removed[i].refusal);
    if (!processes[i]->has_exact_counts())
      failed.add(
          processes[i]->pid(),
          fmt::format(
              "process {} has ended, and its memory could no longer be read: its counts are those of the "
              "last poll, up to {} before its end",
              processes[i]->pid(), short_duration(between_looks)));
    removals.push_back(removed[i].done);
  }
  return removals;
}

std::uint64_t not_stored_in(const ProbedProcess& process) {
  std::uint64_t count = 0;
  for (const ProbedProcess::Counted& function : process.functions()) count += function.measured.not_raised;
  return count;
}

std::string why_not_stored() {
  return "additions to real variables, or new minimum or maximum values, were given up because other "
         "threads kept changing them";
}

std::vector<InProcess<SwitchedProbes>> switch_probes_in(const std::vector<std::int32_t>& pids,
                                                        const ProbeRequest& request, ProbeState to) {
  std::vector<InProcess<SwitchedProbes>> all(pids.size());
  std::map<std::int32_t, ProbeSwitch> orders;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    try {
      ProbeSwitch order{to, places_of(pids[i], request)};
      if (!order.places.empty()) orders.emplace(pids[i], std::move(order));
    } catch (const EnvironmentError& error) {
      all[i].refusal = error.what();
    }
  }
  const auto switched = orders.empty() ? std::vector<InProcess<SwitchedProbes>>() : switch_probes(orders);
  for (std::size_t i = 0; i < pids.size(); ++i) {
    if (const auto order = orders.find(pids[i]); order != orders.end())
      all[i] = switched[static_cast<std::size_t>(std::distance(orders.begin(), order))];
    if (all[i].refusal.empty() && all[i].done.processes == 0)
      all[i].refusal =
          fmt::format("process {} has no probe at '{}'", pids[i], fmt::join(request.patterns, "', '"));
  }
  return all;
}

std::string left_as_they_are(const SwitchedProbes& switched) {
  if (switched.foreign + switched.waiting == 0) return {};
  return fmt::format(
      "{} not changed: {} that another tool has changed, {} whose first bytes a thread did not leave",
      counted(switched.foreign + switched.waiting, "function"), switched.foreign, switched.waiting);
}

bool switch_probes_at(const ProbeRequest& request, ProbeState to) {
  GroupedRefusals refused;
  const std::vector<std::int32_t> pids = chosen_processes(request.processes);
  const auto switched = switch_probes_in(pids, request, to);
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const auto& [done, refusal] = switched[i];
    if (refusal.empty()) report(pids[i], done, to);
    const std::string why = refusal.empty() ? left_as_they_are(done) : refusal;
    if (!why.empty()) refused.add(pids[i], why);
  }
  refused.report();
  return refused.is_empty();
}

bool remove_all_probes(const ProcessChoice& processes) {
  GroupedRefusals refused;
  const std::vector<std::int32_t> pids = chosen_processes(processes);
  const auto removed = remove_probes(pids);
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const auto& [done, refusal] = removed[i];
    refusal.empty() ? report(pids[i], done) : refused.add(pids[i], refusal);
  }
  refused.report();
  return refused.is_empty();
}

}  // namespace eventspace
