#include "monitors/efficiency/observed_processes.h"

#include <algorithm>
#include <array>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/pvm/pvm_record.h"
#include "monitors/efficiency/bounded_time.h"

namespace eventspace::efficiency {
namespace {

bool has_all_calls(const CollectState& collecting) {
  constexpr std::array<std::uint8_t, 3> kinds{operation_kind, mpi_kind, pvm_kind};
  return collecting.is_complete() ||
         std::ranges::all_of(kinds, [&](std::uint8_t kind) { return collecting.is_complete_for(kind); });
}

}  // namespace

void ObservedProcesses::add(const View& view) {
  for (const ProcessReport& report : view.processes) {
    const auto known = report.here(std::min(report.now_ticks, report.complete_ticks));
    const auto [process, is_new] = processes_.try_emplace(report.process);
    const Process& before = process->second;
    if (!is_new && (before.pid != report.pid || before.start_ticks != report.start_ticks)) ++restarts_;
    process->second = {bounded_ns(known.ns), may_live(report.state), report.pid, report.start_ticks};
    if (!has_all_calls(report.collecting)) thinned_.insert(report.process);
    const std::string_view node = names_->node_of_process(report.process);
    if (node_.empty()) node_ = node;
    has_several_nodes_ = has_several_nodes_ || node != node_;
    if (!has_several_nodes_) continue;
    error_ns_ =
        known.error_ns && error_ns_ ? std::optional(std::max(*known.error_ns, *error_ns_)) : std::nullopt;
  }
}

const ObservedProcesses::Process* ObservedProcesses::find(std::uint32_t process) const {
  const auto known = processes_.find(process);
  return known == processes_.end() ? nullptr : &known->second;
}

std::optional<std::int64_t> ObservedProcesses::all_known_until() const {
  std::optional<std::int64_t> until;
  for (const auto& [number, process] : processes_)
    if (process.is_alive) until = std::min(until.value_or(process.until_ns), process.until_ns);
  return until;
}

bool ObservedProcesses::have_ended() const {
  return !processes_.empty() &&
         std::ranges::none_of(processes_, [](const auto& process) { return process.second.is_alive; });
}

}  // namespace eventspace::efficiency
