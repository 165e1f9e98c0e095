#include "monitors/efficiency/observed_processes.h"

#include <algorithm>

namespace eventspace::efficiency {

void ObservedProcesses::add(const View& view) {
  for (const ProcessReport& report : view.processes) {
    const auto known = report.here(std::min(report.now_ticks, report.complete_ticks));
    const auto [process, is_new] = processes_.try_emplace(report.process);
    const Process& before = process->second;
    if (!is_new && (before.pid != report.pid || before.start_ticks != report.start_ticks)) ++restarts_;
    process->second = {known.ns, may_live(report.state), report.pid, report.start_ticks};
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
