#include "scopes/metrics/events/events_in_order.h"

#include <algorithm>
#include <utility>

#include "scopes/tree/view_events.h"

namespace eventspace::metrics {

void EventsInOrder::take(const View& view, std::vector<TimedEvents::Event>& events) {
  go_on(view, events);
  sort_by_ends(events);
  make_room(events);
  std::erase_if(events, [this](const TimedEvents::Event& event) { return waits(event); });
  if (waiting_.empty()) return;
  for (TimedEvents::Event& event : events) {
    const auto of_run = waiting_.find(run_of(*event.process));
    event.is_late = of_run != waiting_.end() && event.last->words[4] <= of_run->second.late_until;
  }
}

void EventsInOrder::go_on(const View& view, std::vector<TimedEvents::Event>& events) {
  gone_on_.clear();
  EndTimes times;
  std::vector<TimedEvents::Event> waited;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    Waiting& waiting = at->second;
    const auto reported = std::ranges::find(view.processes, at->first, run_of);
    const bool is_reported = reported != view.processes.end();
    gone_on_.push_back({std::move(waiting.report), std::move(waiting.records), 0});
    Waiting& gone_on = gone_on_.back();
    gone_on.report.complete_ticks = ProcessReport::all_ticks;
    const ProcessReport& process = is_reported ? *reported : gone_on.report;
    for_each_event(gone_on.records, [&](std::span<const TraceTuple> event) {
      waited.push_back(
          {times.of(process, event.back().words[4]), &event.back(), event.size(), &process, false});
    });
    waiting.records.clear();
    at = is_reported && waiting.late_until > 0 ? std::next(at) : waiting_.erase(at);
  }
  events.insert(events.begin(), waited.begin(), waited.end());
}

void EventsInOrder::make_room(const std::vector<TimedEvents::Event>& events) {
  std::map<const ProcessReport*, std::pair<std::size_t, std::uint64_t>> incomplete;  // records, last end
  std::size_t all = 0;
  for (const TimedEvents::Event& event : events) {
    if (is_complete(event)) continue;
    auto& [records, last_end] = incomplete[event.process];
    records += event.size;
    last_end = std::max(last_end, event.last->words[4]);
    all += event.size;
  }
  while (all > most_) {
    const auto most = std::ranges::max_element(
        incomplete, {}, [](const auto& of_process) { return of_process.second.first; });
    const auto& [records, last_end] = most->second;
    Waiting& waiting = waiting_[run_of(*most->first)];
    waiting.late_until = std::max(waiting.late_until, last_end);
    all -= records;
    incomplete.erase(most);
  }
}

bool EventsInOrder::waits(const TimedEvents::Event& event) {
  if (is_complete(event)) return false;
  Waiting& waiting = waiting_[run_of(*event.process)];
  if (event.last->words[4] <= waiting.late_until) return false;
  if (waiting.records.empty()) waiting.report = *event.process;
  const auto records = event.records();
  waiting.records.insert(waiting.records.end(), records.begin(), records.end());
  return true;
}

}  // namespace eventspace::metrics
