// The part of the history about stretches of time: regions, and operations in flight.
#include <algorithm>

#include "scopes/metrics/history/event_history.h"
#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {

// --- regions -------------------------------------------------------------------------------------

/// A region counts in itself only, when it ends (end_region).
void EventHistory::count_by_region(std::uint32_t counter, const TimedEvents::Event& event,
                                   const EventClass& known, std::uint32_t thread, std::int64_t start_ns) {
  const EventCounter& of = counters_[counter];
  RegionCounts& counts = totals_[counter].regions();
  const std::int64_t from = cut_ == CutRegions::whole ? before_all : start_ns;
  if (is_region(*event.last)) {
    if (const auto region = ended_region(event, start_ns))
      counts.add_region(thread, *region, of.amount(event, known, from));
    return;
  }
  if (event.end_ns < from) return;
  std::optional<Partner> partner;
  if (of.by_partner) partner = partners_.of(event.observed());
  if (of.by_partner && !partner) return;
  const RecordHeader header = header_of(*event.last);
  counts.add(thread, partner, {header.start, header.end}, of.amount(event, known, from));
}

// A region that does not count becomes known too: it has the value 0.
std::optional<std::uint32_t> EventHistory::ended_region(const TimedEvents::Event& event,
                                                        std::int64_t start_ns) {
  const auto ended = region(probe_name_of(*event.last));
  const auto began_ns = event.end_ns - static_cast<std::int64_t>(event.observed().duration_ns().value_or(0));
  const bool is_cut_out = cut_ == CutRegions::left_out && began_ns < start_ns;
  return is_cut_out || event.end_ns < start_ns ? std::nullopt : ended;
}

void EventHistory::end_region(const TimedEvents::Event& event, std::uint32_t thread, std::int64_t start_ns) {
  if (!region(probe_name_of(*event.last))) ++regions_left_out_;
  const auto ended = ended_region(event, start_ns);
  if (!ended) return;
  const RecordHeader header = header_of(*event.last);
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    if (counters_[i].by_region) totals_[i].regions().end(thread, *ended, {header.start, header.end});
  }
}

void EventHistory::open_region(const TraceTuple& record, const ProcessReport& report, std::uint32_t thread,
                               std::int64_t start_ns) {
  if (cut_ != CutRegions::partly) return;
  const auto opened = region(probe_name_of(record));
  if (!opened) return;
  const RecordHeader header = header_of(record);
  const std::int64_t began_ns = std::max(report.here(header.start).ns, start_ns);
  const std::int64_t until_ns = std::max(report.here(report.now_ticks).ns, began_ns);
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const EventCounter& counter = counters_[i];
    if (!counter.by_region) continue;
    const bool is_counted = counter.source == Source::delay && counter.condition.holds({record, &report});
    const double own = is_counted ? seconds_per_ns * static_cast<double>(until_ns - began_ns) : 0.0;
    totals_[i].regions().open(thread, *opened, header.start, own);
  }
}

// --- in flight -----------------------------------------------------------------------------------

void EventHistory::take_in_flight(const View& view, std::int64_t start_ns) {
  for (const ProcessReport& report : view.processes) {
    forget_in_flight(process(report.process));
    // Operations that a process did not end before it ended are no longer in flight.
    if (report.state == RunState::dead || report.state == RunState::ended) continue;
    for (const TraceTuple& record : report.in_flight) {
      const std::uint32_t thread = this->thread(header_of(record).thread, report.process);
      if (classes_.has_regions() && is_region(record)) open_region(record, report, thread, start_ns);
      note_in_flight(record, report, thread);
    }
  }
}

void EventHistory::forget_in_flight(std::uint32_t process) {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    for (const std::uint32_t thread : objects_.processes()[process].threads) {
      totals_[i].forget_in_flight(thread);
      if (counters_[i].by_region) totals_[i].regions().begin_open(thread);
    }
  }
}

void EventHistory::note_in_flight(const TraceTuple& record, const ProcessReport& report,
                                  std::uint32_t thread) {
  const ObservedEvent event{record, &report};
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const EventCounter& counter = counters_[i];
    const bool has_amount = counter.source != Source::count && !counter.by_partner && !counter.by_region;
    if (has_amount && counter.condition.holds(event))
      totals_[i].note_in_flight(thread, report.here(header_of(record).start).ns);
  }
}

}  // namespace eventspace::metrics
