#include "monitors/top/event_rates.h"

#include <set>

namespace eventspace::top {
namespace {

std::uint64_t key_of(std::uint32_t path, std::uint16_t point) {
  return (static_cast<std::uint64_t>(path) << 16U) | point;
}

}  // namespace

void EventRates::observe(const View& view) {
  std::set<std::uint32_t> reported;
  for (const ProcessReport& report : view.processes) {
    Process& process = processes_[report.process];
    const Seen seen{{report.pid, report.start_ticks}, report.now_ticks};
    // A view may have reports of two runs of a process: the later one counts.
    const bool is_first = reported.insert(report.process).second;
    if (!is_first && report.start_ticks < process.now.run.start_ticks) continue;
    if (is_first && process.now.ticks != 0) process.before = process.now;
    process.now = seen;
    process.clock = report.clock;
  }
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    const auto source = names_->source_of(record.path, record.point);
    if (record.in_flight() || record.is_continuation() || !source || !reported.contains(source->process))
      continue;
    count(record, processes_.at(source->process));
  }
}

// A trace element without an event in the previous view was empty, so the count starts at 0.
void EventRates::count(const EventRecord& record, const Process& process) {
  const auto [found, is_new] = traces_.try_emplace(key_of(record.path, record.point));
  Trace& trace = found->second;
  Seen since = trace.seen;
  std::uint64_t events = trace.rate.events;
  if (is_new && process.before) {
    since = *process.before;
    events = 0;
  }
  trace.rate = {record.sequence, std::nullopt};
  trace.seen = process.now;
  const double elapsed = process.clock.ns_between(since.ticks, process.now.ticks);
  if (since.run == process.now.run && since.ticks != 0 && elapsed > 0 && record.sequence >= events)
    trace.rate.per_second = static_cast<double>(record.sequence - events) * 1e9 / elapsed;
}

EventRates::Rate EventRates::of(std::uint32_t path, std::uint16_t point) const {
  const auto found = traces_.find(key_of(path, point));
  return found == traces_.end() ? Rate{} : found->second.rate;
}

}  // namespace eventspace::top
