#include "scopes/columns/events_in_flight.h"

#include <algorithm>

#include "collectors/record_header.h"
#include "scopes/tree/view_events.h"

namespace eventspace {

EventsInFlight::Key EventsInFlight::key_of(const TraceTuple& record) {
  const RecordHeader header = header_of(record);
  return {header.thread, header.path, header.point, header.start};
}

// Forgets the events of trace elements that the view has: those of them that are in flight are added again.
void EventsInFlight::forget_replaced(const View& newest) {
  using Element = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;
  std::set<Element> present;
  for (const TraceTuple& record : newest.records.whole()) {
    const RecordHeader header = header_of(record);
    present.emplace(header.thread, header.path, header.point);
  }
  std::erase_if(shown_, [&](const Key& key) {
    return present.contains(Element(std::get<0>(key), std::get<1>(key), std::get<2>(key)));
  });
}

// An event that a view lacks has ended, unless its trace element is missing.
std::vector<TraceTuple> EventsInFlight::take(const View& newest) {
  std::vector<std::span<const TraceTuple>> events;
  std::set<Key> seen;
  for_each_event(newest.records.whole(), [&](std::span<const TraceTuple> event) {
    if (!header_of(event.back()).in_flight()) return;
    const Key key = key_of(event.back());
    if (seen.insert(key).second && !shown_.contains(key)) events.push_back(event);
  });
  if (newest.missing.empty()) {
    shown_.clear();
  } else {
    forget_replaced(newest);
  }
  shown_.merge(seen);
  std::ranges::stable_sort(events, {}, [](const auto& event) { return header_of(event.back()).start; });
  std::vector<TraceTuple> records;
  for (const auto& event : events) records.insert(records.end(), event.begin(), event.end());
  return records;
}

void EventsInFlight::drop_ended(std::vector<TraceTuple>& events, std::span<const TraceTuple> ended) {
  if (events.empty()) return;  // most pulls, of up to a million ended ones
  std::set<Key> keys;
  for (const TraceTuple& record : ended) keys.insert(key_of(record));
  std::erase_if(events, [&](const TraceTuple& record) { return keys.contains(key_of(record)); });
}

}  // namespace eventspace
