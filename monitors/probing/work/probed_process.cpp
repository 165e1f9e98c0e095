#include "monitors/probing/work/probed_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/processes/process_stat.h"

namespace eventspace {

ProbedProcess::ProbedProcess(std::int32_t pid, const ProbePlan& plan, const CompiledTask& task,
                             const std::optional<RecordedProbes>& recorded)
    : pid_(pid),
      start_ticks_(read_process_stat(pid).value_or(ProcessStat()).start_ticks),
      is_counting_(task.is_counting && !recorded),
      real_values_(task.real_values()),
      memory_(pid) {
  ProbesPlan planned{{}, task, recorded};
  for (const PlannedFunction& function : plan.functions) planned.probes.push_back(function.probe);
  Placement placement = place_probes(pid, planned);
  longest_stop_ = placement.longest_stop;
  rings_ = placement.rings;
  variables_at_ = placement.variables;
  areas_ = placement.areas;
  kept_ = std::move(placement.kept);
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
      start_ticks_(other.start_ticks_),
      is_counting_(other.is_counting_),
      real_values_(other.real_values_),
      memory_(std::move(other.memory_)),
      functions_(std::move(other.functions_)),
      refusals_(std::move(other.refusals_)),
      refused_(std::move(other.refused_)),
      longest_stop_(other.longest_stop_),
      rings_(other.rings_),
      variables_at_(other.variables_at_),
      areas_(std::move(other.areas_)),
      kept_(std::move(other.kept_)),
      has_exact_counts_(other.has_exact_counts_),
      variables_(std::move(other.variables_)),
      is_there_(other.is_there_),
      has_probes_(std::exchange(other.has_probes_, false)) {}

ProbedProcess::~ProbedProcess() {
  try {
    if (has_probes_ && !has_ended()) (void)remove_own_probes(pid_);
  } catch (const EnvironmentError&) {
    // The next tool finds them.
  }
}

bool ProbedProcess::look() {
  if (!has_probes_) return false;
  is_there_ = read_from(memory_);
  // The process has ended, or runs another program: the kept memory has its final counts.
  if (!is_there_) has_exact_counts_ = read_from(kept_);
  return is_there_;
}

template <class Memory>
bool ProbedProcess::read_from(const Memory& memory) {
  for (Counted& function : functions_) {
    const auto calls = calls_counted(memory, function.placed.counters);
    const auto measured = is_counting_ ? std::optional<MeasuredCalls>(std::in_place)
                                       : calls_measured(memory, function.placed.measures, real_values_);
    if (!calls || !measured) return false;
    function.calls = *calls;
    function.measured = *measured;
  }
  if (variables_at_ != 0) variables_ = variables_of(memory, variables_at_).value_or(variables_);
  return true;
}

bool ProbedProcess::has_ended() const { return start_ticks_ != 0 && !is_alive(pid_, start_ticks_); }

std::optional<std::vector<std::int32_t>> ProbedProcess::recording_threads() const {
  // If the probes were removed, later ones of the same process may have rings at that address.
  return rings_ == 0 || !has_probes_ ? std::nullopt : eventspace::recording_threads(memory_, rings_);
}

bool ProbedProcess::has_asked_for() const noexcept {
  return std::ranges::any_of(functions_, [](const Counted& one) { return !one.placed.has_lets_only; });
}

Removal ProbedProcess::remove() {
  const InProcess<Removal> removed = remove_all({this}).front();
  if (!removed.refusal.empty()) throw EnvironmentError(removed.refusal);
  return removed.done;
}

// The descriptor is closed: a process that leaves a group and comes back has many such objects.
void ProbedProcess::note_removed() {
  has_probes_ = false;
  // Includes calls between the last reading and the removal of the probes, or the end of the process.
  const bool is_exact = read_from(kept_);
  has_exact_counts_ = is_exact || !has_ended();
  const ProcessMemory closed = std::move(memory_);
  const KeptMemory not_kept = std::move(kept_);
}

Removal ProbedProcess::remove_these() {
  if (!has_probes_) return {};
  (void)look();
  const Removal removal = remove_probes_in(pid_, areas_);
  note_removed();
  return removal;
}

std::vector<InProcess<Removal>> ProbedProcess::remove_all(const std::vector<ProbedProcess*>& processes) {
  std::vector<InProcess<Removal>> all(processes.size());
  std::map<std::int32_t, std::vector<std::size_t>> places;  // indices, one for each order
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!processes[i]->has_probes_) continue;
    (void)processes[i]->look();
    processes[i]->has_ended() ? processes[i]->note_removed() : places[processes[i]->pid_].push_back(i);
  }
  if (places.empty()) return all;
  std::vector<std::int32_t> pids;
  pids.reserve(places.size());
  for (const auto& [pid, those] : places) pids.push_back(pid);
  std::vector<InProcess<Removal>> removed(pids.size());
  try {
    removed = remove_own_probes(pids);
  } catch (const EnvironmentError& error) {
    for (InProcess<Removal>& one : removed) one.refusal = error.what();
  }
  auto of_pid = removed.begin();
  for (const auto& [pid, those] : places) {
    all[those.front()].done = of_pid->done;
    for (const std::size_t place : those) {
      all[place].refusal = of_pid->refusal;
      if (of_pid->refusal.empty()) processes[place]->note_removed();
    }
    ++of_pid;
  }
  return all;
}

}  // namespace eventspace
