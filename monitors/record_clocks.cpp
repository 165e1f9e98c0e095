#include "monitors/record_clocks.h"

#include "pathmaps/plan_names.h"

namespace eventspace {

RecordClocks::RecordClocks(const Plan& plan) {
  for (const TracePlan& trace : plan.traces) {
    const std::uint32_t process =
        trace.process ? static_cast<std::uint32_t>(*trace.process) : number_of_node_server(plan, trace.node);
    process_.emplace(key(trace.path, static_cast<std::uint64_t>(trace.point)), process);
  }
}

void RecordClocks::learn(const View& view) {
  for (const ProcessReport& process : view.processes)
    clocks_.insert_or_assign(process.process, process.clock);
}

std::optional<std::uint32_t> RecordClocks::process_of(const EventRecord& record) const {
  const auto found = process_.find(key(record.path, record.point));
  if (found == process_.end()) return std::nullopt;
  return found->second;
}

const ClockCalibration* RecordClocks::clock_of(const EventRecord& record) const {
  const auto process = process_of(record);
  const auto found = process ? clocks_.find(*process) : clocks_.end();
  return found == clocks_.end() ? nullptr : &found->second;
}

}  // namespace eventspace
