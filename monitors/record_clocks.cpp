#include "monitors/record_clocks.h"

namespace eventspace {

void RecordClocks::learn(const View& view) {
  for (const ProcessReport& process : view.processes)
    clocks_.insert_or_assign(process.process, process.clock);
}

const ClockCalibration* RecordClocks::clock_of(const EventRecord& record) const {
  const auto source = names_->source_of(record.path, record.point);
  const auto found = source ? clocks_.find(source->process) : clocks_.end();
  return found == clocks_.end() ? nullptr : &found->second;
}

}  // namespace eventspace
