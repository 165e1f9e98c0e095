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
    // A process that was started anew counts from 1 again, and later.
    return seen == seen_.end() || header.sequence > seen->second.sequence || header.end > seen->second.end;
  });
}

void RepeatedEvents::note(const Records& records) {
  // Neighbours are mostly of one trace element.
  Element element{};
  Last* last = nullptr;
  for (const TraceTuple& record : records) {
    const RecordHeader header = header_of(record);
    if (header.in_flight()) continue;
    if (last == nullptr || element_of(header) != element) {
      element = element_of(header);
      last = &seen_[element];
    }
    last->sequence = std::max(last->sequence, header.sequence);
    last->end = std::max(last->end, header.end);
  }
}

}  // namespace eventspace
