#include "scopes/columns/record_clocks.h"

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

std::optional<BoundedTime> RecordClocks::start_here(const RecordHeader& record,
                                                    const ProcessReport* process) const {
  if (process == nullptr || !process->relation.known) return std::nullopt;
  BoundedTime time = process->here(record.start);
  time.ns = saturating::add(time.ns, realtime_here_ns_);
  return time;
}

bool RecordClocks::can_enclose(const RecordHeader& outer, const RecordHeader& inner) const {
  const ProcessReport* const process = process_of(outer);
  if (process != nullptr && process == process_of(inner)) {
    return outer.start <= inner.start &&
           (outer.in_flight() || (!inner.in_flight() && inner.end <= outer.end));
  }
  const auto begun = start_here(outer);
  const auto begun_inside = start_here(inner);
  if (!begun || !begun_inside || !begun->error_ns || !begun_inside->error_ns) return true;
  const std::int64_t error = saturating::add(*begun->error_ns, *begun_inside->error_ns);
  if (begun_inside->ns < saturating::subtract(begun->ns, error)) return false;
  if (outer.in_flight()) return true;
  const auto lasted = saturating::round(process->clock.ns_between(outer.start, outer.end));
  return begun_inside->ns <= saturating::add(saturating::add(begun->ns, lasted), error);
}

}  // namespace eventspace
