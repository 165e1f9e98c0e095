// The part of the history about stretches of time: regions, and operations in flight.
#include <algorithm>

#include "scopes/metrics/history/event_history.h"
#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {

// --- regions -------------------------------------------------------------------------------------

/// A region counts in itself only, when it ends (end_region).
void EventHistory::count_by_region(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
                                   std::int64_t start_ns) {
  const std::int64_t from = cut_ == CutRegions::whole ? before_all : start_ns;
  if (is_region(*event.last)) {
    if (const auto region = ended_region(event, start_ns))
      counting.of_regions.add_region(thread, *region, amount(counting, event, from));
    return;
  }
  if (event.end_ns < from) return;
  std::optional<Partner> partner;
  if (counting.by_partner) partner = partners_.of(event.observed());
  if (counting.by_partner && !partner) return;
  const RecordHeader header = header_of(*event.last);
  counting.of_regions.add(thread, partner, {header.start, header.end}, amount(counting, event, from));
}

// A region that does not count becomes known too: it has the value 0.
std::optional<std::uint32_t> EventHistory::ended_region(const TimedEvents::Event& event,
                                                        std::int64_t start_ns) {
  const auto region = objects_.region(probe_name_of(*event.last), *names_);
  const auto began_ns = event.end_ns - static_cast<std::int64_t>(event.observed().duration_ns().value_or(0));
  const bool is_cut_out = cut_ == CutRegions::left_out && began_ns < start_ns;
  return is_cut_out || event.end_ns < start_ns ? std::nullopt : region;
}

void EventHistory::end_region(const TimedEvents::Event& event, std::uint32_t thread, std::int64_t start_ns) {
  if (!objects_.region(probe_name_of(*event.last), *names_)) ++regions_left_out_;
  const auto region = ended_region(event, start_ns);
  if (!region) return;
  const RecordHeader header = header_of(*event.last);
  for (Counting& counting : countings_) {
    if (counting.by_region) counting.of_regions.end(thread, *region, {header.start, header.end});
  }
}

void EventHistory::open_region(const TraceTuple& record, const ProcessReport& report, std::uint32_t thread,
                               std::int64_t start_ns) {
  if (cut_ != CutRegions::partly) return;
  const auto region = objects_.region(probe_name_of(record), *names_);
  if (!region) return;
  const RecordHeader header = header_of(record);
  const std::int64_t began_ns = std::max(report.here(header.start).ns, start_ns);
  const std::int64_t until_ns = std::max(report.here(report.now_ticks).ns, began_ns);
  for (Counting& counting : countings_) {
    if (!counting.by_region) continue;
    const bool is_counted = counting.source == Source::delay && counting.condition.holds({record, &report});
    const double own = is_counted ? seconds_per_ns * static_cast<double>(until_ns - began_ns) : 0.0;
    counting.of_regions.open(thread, *region, header.start, own);
  }
}

// --- in flight -----------------------------------------------------------------------------------

void EventHistory::take_in_flight(const View& view, std::int64_t start_ns) {
  for (const ProcessReport& report : view.processes) {
    forget_in_flight(objects_.process(report.process, *names_));
    // Operations that a process did not end before it ended are no longer in flight.
    if (report.state == RunState::dead || report.state == RunState::ended) continue;
    for (const TraceTuple& record : report.in_flight) {
      const std::uint32_t thread = objects_.thread(header_of(record).thread, report.process, *names_);
      if (has_regions_ && is_region(record)) open_region(record, report, thread, start_ns);
      note_in_flight(record, report, thread);
    }
  }
}

void EventHistory::forget_in_flight(std::uint32_t process) {
  for (Counting& counting : countings_) {
    for (const std::uint32_t thread : objects_.processes()[process].threads) {
      counting.in_flight.erase(thread);
      if (counting.by_region) counting.of_regions.begin_open(thread);
    }
  }
}

void EventHistory::receive(const InFlight& in_flight) {
  const auto [known, is_new] =
      countings_[in_flight.counter].in_flight.try_emplace(in_flight.thread, in_flight.since_ns);
  if (!is_new) known->second = std::min(known->second, in_flight.since_ns);
}

void EventHistory::note_in_flight(const TraceTuple& record, const ProcessReport& report,
                                  std::uint32_t thread) {
  const ObservedEvent event{record, &report};
  for (std::uint32_t i = 0; i < countings_.size(); ++i) {
    const Counting& counting = countings_[i];
    const bool has_amount = counting.source != Source::count && !counting.by_partner && !counting.by_region;
    if (has_amount && counting.condition.holds(event))
      receive(InFlight{i, thread, report.here(header_of(record).start).ns});
  }
}

double EventHistory::Counting::since_last(std::uint32_t thread) const {
  return (thread < totals.size() ? totals[thread] : 0.0) - (thread < last.size() ? last[thread] : 0.0);
}

bool EventHistory::is_held(std::uint32_t counter, const std::vector<std::uint32_t>& threads,
                           std::int64_t last_ns) const {
  const Counting& counting = countings_[counter];
  if (counting.in_flight.empty()) return false;
  const auto was_in_flight = [&](std::uint32_t thread) {
    const auto known = counting.in_flight.find(thread);
    return known != counting.in_flight.end() && known->second <= last_ns;
  };
  return std::ranges::any_of(threads, was_in_flight) &&
         std::ranges::all_of(threads,
                             [&](std::uint32_t thread) { return counting.since_last(thread) == 0.0; });
}

std::int64_t EventHistory::counted_from(std::uint32_t counter, const std::vector<std::uint32_t>& threads,
                                        std::int64_t last_ns) const {
  const Counting& counting = countings_[counter];
  std::int64_t from = last_ns;
  if (counting.held_since.empty()) return from;
  for (const std::uint32_t thread : threads) {
    const auto held = counting.held_since.find(thread);
    if (held != counting.held_since.end() && counting.since_last(thread) != 0.0)
      from = std::min(from, held->second);
  }
  return from;
}

}  // namespace eventspace::metrics
