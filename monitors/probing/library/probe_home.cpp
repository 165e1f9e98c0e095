#include "monitors/probing/library/probe_home.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/probing/code/exit_check.h"
#include "monitors/probing/work/let_planning.h"

namespace eventspace::probing {
namespace {

std::vector<std::string> refusals_of(const ProbePlan& plan) {
  std::vector<std::string> reasons = plan.complaints;
  for (const auto& [refusal, count] : plan.refused)
    reasons.push_back(fmt::format("cannot have a probe: {} (functions: {})", to_string(refusal), count));
  for (const auto& [refusal, count] : plan.refused_at_exits)
    reasons.push_back(
        fmt::format("cannot have a probe at all exits, which times and results need: {} (functions: {})",
                    to_string(refusal), count));
  for (const auto& [refusal, count] : plan.refused_calls)
    reasons.push_back(fmt::format("cannot have a probe: {} (calls: {})", to_string(refusal), count));
  return reasons;
}

Reading::Value value_of(const MeasuredValue& measured) {
  const auto least = measured.real_least.value_or(static_cast<double>(measured.least.value_or(0)));
  const auto greatest = measured.real_greatest.value_or(static_cast<double>(measured.greatest.value_or(0)));
  return {measured.count, measured.sum, least, greatest};
}

std::vector<Variable> variables_of(const ProbedProcess& process,
                                   const std::vector<ProbeVariable>& variables) {
  std::vector<Variable> now;
  for (std::size_t i = 0; i < std::min(variables.size(), process.variables().size()); ++i)
    now.push_back({variables[i].name, variables[i].number(process.variables()[i])});
  return now;
}

Reading reading_of(const ProbedProcess::Counted& counted, std::size_t values) {
  using std::chrono::nanoseconds;
  const MeasuredCalls& measured = counted.measured;
  Reading reading;
  reading.calls = counted.calls;
  reading.measured = measured.calls;
  reading.passed_by = measured.passed_by;
  reading.left_out = measured.left_out;
  reading.total = nanoseconds(measured.total_ns);
  reading.own = nanoseconds(measured.own_ns);
  reading.least = nanoseconds(measured.least_ns);
  reading.greatest = nanoseconds(measured.greatest_ns);
  for (std::size_t i = 0; i < values; ++i) reading.values.push_back(value_of(measured.values[i]));
  return reading;
}

}  // namespace

Outcome Probe::Home::install(const Group& group, const ProbeOrder& order, const CompiledTask& task) {
  const std::scoped_lock lock(mutex_);
  Outcome outcome;
  if (is_closed_) return outcome;
  for (const Process& process : group.processes()) {
    ++outcome.processes;
    try {
      install_in(process.pid, order, task, outcome);
    } catch (const Error& error) {
      outcome.refusals.push_back({process.pid, error.what()});
    }
  }
  return outcome;
}

bool Probe::Home::has_probes_in(std::int32_t pid) const {
  return std::ranges::any_of(placed_, [pid](const Placed& placed) { return placed.process.pid() == pid; });
}

/// Whether the newest probe of the place was installed for a function. Handles of earlier probes do not
/// affect a probe that is only for a variable.
bool Probe::Home::has_handle(std::int32_t pid, std::uint64_t place) const {
  for (const Placed& placed : placed_) {
    if (placed.process.pid() != pid) continue;
    for (const ProbedProcess::Counted& counted : placed.process.functions())
      if (counted.placed.place == place) return !counted.placed.has_lets_only;
  }
  return false;
}

ProbePlan Probe::Home::plan_in(std::int32_t pid, const ProbeOrder& order, const CompiledTask& task,
                               Outcome& outcome) {
  ProbePlan plan =
      plan_probes(pid, order.functions, order.modules, task.has_exits, &cache_, order.calls_from);
  for (std::string& reason : refusals_of(plan)) outcome.refusals.push_back({pid, std::move(reason)});
  if (plan.functions.empty())
    throw EnvironmentError(
        order.calls_from.empty()
            ? fmt::format("process {} has no function '{}' that can have a probe", pid, order.functions)
            : fmt::format("process {} has no call of '{}' by '{}' that can have a probe", pid,
                          order.functions, order.calls_from));
  if (plan.functions.size() > ProbeArea::max_probes)
    throw EnvironmentError(
        fmt::format("{} functions of process {} match '{}'; at most {} can have probes at a time",
                    plan.functions.size(), pid, order.functions, ProbeArea::max_probes));
  plan_lets(pid, task, order.modules, cache_, plan);
  return plan;
}

void Probe::Home::install_in(std::int32_t pid, const ProbeOrder& order, const CompiledTask& task,
                             Outcome& outcome) {
  if (!has_probes_in(pid) && has_own_probes(pid))
    throw EnvironmentError(
        fmt::format("process {} already has probes of another Application, or probes that were inherited "
                    "from its parent process",
                    pid));
  const ProbePlan plan = plan_in(pid, order, task, outcome);
  ProbedProcess process(pid, plan, task);
  outcome.longest_stop = std::max(outcome.longest_stop, process.longest_stop());
  for (const std::string& refusal : process.refusals()) outcome.refusals.push_back({pid, refusal});
  try {
    require_lets(plan, task, process);
  } catch (const EnvironmentError&) {
    take_out(std::move(process), outcome);
    throw;
  }
  // If no function has a probe, the probes of lets are useless, and no handle could read them.
  if (!process.has_asked_for()) return take_out(std::move(process), outcome);
  outcome.probes += process.functions().size();
  ++outcome.done;
  // A function whose probe was removed has a new one.
  for (const ProbedProcess::Counted& counted : process.functions())
    removed_.erase({pid, counted.placed.place});
  placed_.push_front({std::move(process), task.values.size(), task.variables});
}

/// Takes probes out that were just put in. Probes of earlier orders stay.
void Probe::Home::take_out(ProbedProcess process, Outcome& outcome) {
  try {
    (void)process.remove_these();
  } catch (const EnvironmentError& error) {
    outcome.refusals.push_back({process.pid(), error.what()});
    // They are removed with the others and never get a handle.
    for (const ProbedProcess::Counted& counted : process.functions())
      removed_.insert({process.pid(), counted.placed.place});
    placed_.push_back({std::move(process), 0, {}});
  }
}

Outcome Probe::Home::change(ProbeState to, std::int32_t pid, std::uint64_t place) {
  const std::scoped_lock lock(mutex_);
  Outcome outcome;
  if (place != 0 && !has_handle(pid, place)) return outcome;
  std::map<std::int32_t, ProbeSwitch> orders;
  for (const Placed& placed : placed_)
    for (const ProbedProcess::Counted& counted : placed.process.functions()) {
      const std::uint64_t at = counted.placed.place;
      const bool is_meant = place == 0 || (placed.process.pid() == pid && at == place);
      if (!is_meant || is_closed_ || removed_.contains({placed.process.pid(), at})) continue;
      orders[placed.process.pid()].to = to;
      orders[placed.process.pid()].places.push_back(at);
    }
  if (orders.empty()) return outcome;
  for (Placed& placed : placed_)
    if (orders.contains(placed.process.pid())) (void)placed.process.look();  // keeps its counts
  try {
    const auto all = switch_probes(orders);
    auto switched = all.begin();
    for (const auto& [process, order] : orders) note_switched(process, order, *switched++, outcome);
  } catch (const EnvironmentError& error) {
    for (const auto& [process, order] : orders) outcome.refusals.push_back({process, error.what()});
  }
  return outcome;
}

void Probe::Home::note_switched(std::int32_t pid, const ProbeSwitch& order,
                                const InProcess<SwitchedProbes>& switched, Outcome& outcome) {
  ++outcome.processes;
  const auto& [done, refusal] = switched;
  outcome.longest_stop = std::max(outcome.longest_stop, done.longest_stop);
  if (!refusal.empty()) return outcome.refusals.push_back({pid, refusal});
  if (done.processes == 0)
    return outcome.refusals.push_back(
        {pid, fmt::format("process {} has ended, or runs another program", pid)});
  if (order.to == ProbeState::removed)
    for (const std::uint64_t place : order.places) removed_.insert({pid, place});
  ++outcome.done;
  outcome.probes += done.probes;
  if (done.foreign > 0)
    outcome.refusals.push_back(
        {pid, fmt::format("functions that another tool has changed: {}", done.foreign)});
  if (done.waiting > 0)
    outcome.refusals.push_back(
        {pid, fmt::format("functions whose first instructions a thread did not leave: {}", done.waiting)});
}

void Probe::Home::close() {
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  std::vector<ProbedProcess*> processes;
  for (Placed& placed : placed_) processes.push_back(&placed.process);
  (void)ProbedProcess::remove_all(processes);  // on failure the next tool finds them
}

Reading Probe::Home::read(std::int32_t pid, std::uint64_t place) {
  const std::scoped_lock lock(mutex_);
  for (Placed& placed : placed_) {
    if (placed.process.pid() != pid) continue;
    for (std::size_t i = 0; i < placed.process.functions().size(); ++i) {
      const PlacedProbe& probe = placed.process.functions()[i].placed;
      if (probe.place != place || probe.has_lets_only) continue;
      (void)placed.process.look();
      Reading reading = reading_of(placed.process.functions()[i], placed.values);
      reading.variables = variables_of(placed.process, placed.variables);
      reading.is_there = placed.process.is_there();
      return reading;
    }
  }
  return {};
}

std::vector<Probe::Home::Place> Probe::Home::places() {
  const std::scoped_lock lock(mutex_);
  std::map<std::pair<std::int32_t, std::uint64_t>, Place> places;
  std::set<std::pair<std::int32_t, std::uint64_t>> seen;  // the newest probe of a place counts
  for (const Placed& placed : placed_)
    for (const ProbedProcess::Counted& counted : placed.process.functions()) {
      const std::pair key{placed.process.pid(), counted.placed.place};
      if (seen.insert(key).second && !counted.placed.has_lets_only && !removed_.contains(key))
        places.try_emplace(key, Place{key.first, counted.module, counted.function, key.second});
    }
  std::vector<Place> list;
  list.reserve(places.size());
  for (auto& [key, place] : places) list.push_back(std::move(place));
  return list;
}

}  // namespace eventspace::probing
