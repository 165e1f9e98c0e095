#include "monitors/probing/work/probed_process.h"

#include <fmt/format.h>

#include <utility>

#include "tuplespace/system/error.h"

namespace eventspace {

ProbedProcess::ProbedProcess(std::int32_t pid, const ProbePlan& plan, const CompiledTask& task,
                             const std::optional<RecordedProbes>& recorded)
    : pid_(pid), is_counting_(task.is_counting && !recorded), real_values_(task.real_values()), memory_(pid) {
  ProbesPlan planned{{}, task, recorded};
  for (const PlannedFunction& function : plan.functions) planned.probes.push_back(function.probe);
  const Placement placement = place_probes(pid, planned);
  longest_stop_ = placement.longest_stop;
  rings_ = placement.rings;
  variables_at_ = placement.variables;
  for (std::size_t i = 0; i < placement.probes.size(); ++i) {
    const PlannedFunction& function = plan.functions[i];
    PlacedProbe placed = placement.probes[i];
    placed.place = function.probe.place;
    placed.has_lets_only = function.probe.has_lets_only;
    if (placed.refusal.empty()) {
      functions_.push_back({function.module, function.function, std::move(placed), 0, {}});
    } else {
      refusals_.push_back(fmt::format("{}: {}", function.function, placed.refusal));
      refused_.push_back({i, std::move(placed.refusal)});
    }
  }
}

ProbedProcess::ProbedProcess(ProbedProcess&& other) noexcept
    : pid_(other.pid_),
      is_counting_(other.is_counting_),
      real_values_(other.real_values_),
      memory_(std::move(other.memory_)),
      functions_(std::move(other.functions_)),
      refusals_(std::move(other.refusals_)),
      refused_(std::move(other.refused_)),
      longest_stop_(other.longest_stop_),
      rings_(other.rings_),
      variables_at_(other.variables_at_),
      variables_(std::move(other.variables_)),
      is_there_(other.is_there_),
      has_probes_(std::exchange(other.has_probes_, false)) {}

ProbedProcess::~ProbedProcess() {
  try {
    if (has_probes_) (void)remove_own_probes(pid_);
  } catch (const EnvironmentError&) {
    // The next one finds them.
  }
}

bool ProbedProcess::look() {
  if (!has_probes_) return false;
  for (Counted& function : functions_) {
    const auto calls = calls_counted(memory_, function.placed.counters);
    const auto measured = is_counting_ ? std::optional<MeasuredCalls>(std::in_place)
                                       : calls_measured(memory_, function.placed.measures, real_values_);
    is_there_ = calls && measured;
    if (!is_there_) return false;
    function.calls = *calls;
    function.measured = *measured;
  }
  if (variables_at_ != 0) variables_ = variables_of(memory_, variables_at_).value_or(variables_);
  return true;
}

std::optional<std::vector<std::int32_t>> ProbedProcess::recording_threads() const {
  return rings_ == 0 ? std::nullopt : eventspace::recording_threads(memory_, rings_);
}

Removal ProbedProcess::remove() {
  const InProcess<Removal> removed = remove_all({this}).front();
  if (!removed.refusal.empty()) throw EnvironmentError(removed.refusal);
  return removed.done;
}

std::vector<InProcess<Removal>> ProbedProcess::remove_all(const std::vector<ProbedProcess*>& processes) {
  std::vector<InProcess<Removal>> all(processes.size());
  std::vector<std::int32_t> pids;
  std::vector<std::size_t> places;  // of the processes with these ids
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!processes[i]->has_probes_) continue;
    (void)processes[i]->look();
    processes[i]->has_probes_ = false;
    pids.push_back(processes[i]->pid_);
    places.push_back(i);
  }
  if (pids.empty()) return all;
  try {
    const auto removed = remove_own_probes(pids);
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = removed[i];
  } catch (const EnvironmentError& error) {
    for (const std::size_t place : places) all[place].refusal = error.what();
  }
  return all;
}

}  // namespace eventspace
