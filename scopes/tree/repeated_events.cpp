#include "scopes/tree/repeated_events.h"

#include <algorithm>
#include <span>

#include "scopes/tree/view_events.h"

namespace eventspace {

std::size_t RepeatedEvents::drop_from(Records& records) {
  if (seen_.empty()) return 0;
  return keep_events(records, [this](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    const auto seen = seen_.find(element_of(header));
    // A restarted process counts from 1 again, at later times.
    return seen == seen_.end() || header.sequence > seen->second.sequence || header.end > seen->second.end;
  });
}

void RepeatedEvents::note(std::span<const TraceTuple> records) {
  // Neighbours are mostly of one trace element.
  RecordHeader of;
  Last last;
  const auto keep = [&] {
    if (last.end == 0) return;
    Last& kept = seen_[element_of(of)];
    kept = {std::max(kept.sequence, last.sequence), std::max(kept.end, last.end)};
  };
  for (const TraceTuple& record : records) {
    const RecordHeader header = header_of(record);
    if (element_of(header) != element_of(of)) {
      keep();
      of = header;
      last = {};
    }
    if (header.in_flight()) continue;
    last = {std::max(last.sequence, header.sequence), std::max(last.end, header.end)};
  }
  keep();
}

}  // namespace eventspace
