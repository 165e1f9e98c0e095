#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectors/record_header.h"
#include "paths/views/view.h"

namespace eventspace {

/// Whether `next` is a later record of the same event as the continuation record `record`.
constexpr bool continues(const TraceTuple& record, const TraceTuple& next) noexcept {
  const RecordHeader a = header_of(record);
  const RecordHeader b = header_of(next);
  return a.part > b.part && a.kind == b.kind && a.start == b.start && a.thread == b.thread &&
         a.path == b.path;
}

/// Returns the records of the first event: its continuation records, then its own. If the event of
/// continuation records is not present, they are returned alone. Requires that `records` is not empty.
inline std::span<const TraceTuple> first_event(std::span<const TraceTuple> records) noexcept {
  std::size_t last = 0;
  while (header_of(records[last]).is_continuation() && last + 1 < records.size() &&
         continues(records[last], records[last + 1]))
    ++last;
  return records.first(last + 1);
}

/// Calls `use` with the records of each event, in their order.
template <class Use>
void for_each_event(std::span<const TraceTuple> records, Use use) {
  while (!records.empty()) {
    const auto event = first_event(records);
    records = records.subspan(event.size());
    use(event);
  }
}

/// The number of events, which is the number of records except continuation records. An event that is
/// recorded at several points of its path counts at each (docs/glossary.md).
inline std::uint64_t count_events(std::span<const TraceTuple> records) noexcept {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      records, [](const TraceTuple& record) { return !header_of(record).is_continuation(); }));
}

/// Keeps the events for which `passes` is true of their records. Returns the number of records dropped.
template <class Passes>
std::size_t keep_events(Records& records, Passes passes) {
  std::vector<TraceTuple>& all = records.whole();
  auto kept = all.begin();
  for_each_event(all, [&](std::span<const TraceTuple> event) {
    if (!passes(event)) return;
    const auto from = all.begin() + (event.data() - all.data());
    const auto size = static_cast<std::ptrdiff_t>(event.size());
    kept = from == kept ? kept + size : std::copy(from, from + size, kept);
  });
  const auto dropped = static_cast<std::size_t>(all.end() - kept);
  all.erase(kept, all.end());
  return dropped;
}

}  // namespace eventspace
