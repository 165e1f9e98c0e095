#include "monitors/watching/record_clocks.h"

#include "tuplespace/system/saturating.h"

namespace eventspace {

void RecordClocks::learn(const View& view) {
  for (const ProcessReport& process : view.processes) processes_.insert_or_assign(process.process, process);
}

const ProcessReport* RecordClocks::process_of(const RecordHeader& record) const {
  const auto source = names_->source_of(record.path, record.point);
  const auto found = source ? processes_.find(source->process) : processes_.end();
  return found == processes_.end() ? nullptr : &found->second;
}

const ClockCalibration* RecordClocks::clock_of(const RecordHeader& record) const {
  const ProcessReport* const process = process_of(record);
  return process == nullptr ? nullptr : &process->clock;
}

std::optional<BoundedTime> RecordClocks::start_here(const RecordHeader& record) const {
  const ProcessReport* const process = process_of(record);
  if (process == nullptr || !process->relation.known) return std::nullopt;
  BoundedTime time = process->here(record.start);
  time.ns = saturating::add(time.ns, realtime_here_ns_);
  return time;
}

}  // namespace eventspace
