#include "scopes/reading/look_back.h"

#include <algorithm>

#include "collectors/event_record.h"

namespace eventspace {

std::uint64_t ticks_before(const ClockCalibration& clock, std::uint64_t now_ticks,
                           std::chrono::nanoseconds time) noexcept {
  const double ticks = static_cast<double>(time.count()) / clock.ns_per_tick;
  if (!(ticks >= 0 && ticks < static_cast<double>(now_ticks))) return 0;
  return now_ticks - static_cast<std::uint64_t>(ticks);
}

// Invariant: all tuples up to `before` ended too early or are overwritten; no kept tuple above `last` ended
// too early.
Beginning find_beginning(const TraceReader& reader, std::uint64_t ticks) {
  std::vector<TraceTuple> probe;
  const TraceReader::Batch oldest = reader.read_after(0, 1, probe);
  if (oldest.last == 0) return {};  // empty, or the ring is damaged
  std::uint64_t before = 0;
  std::uint64_t last = reader.published();
  while (before < last) {
    const std::uint64_t middle = before + (last - before + 1) / 2;
    probe.clear();
    const TraceReader::Batch batch = reader.read_after(middle - 1, 1, probe);
    if (batch.last < middle) return {};  // the ring was damaged in the meantime
    // The end of a damaged tuple is unknown: treat it as recent, since reading too much is better than too
    // little.
    if (batch.torn == 0 && (probe.empty() || decode(probe.front()).end < ticks)) {
      before = std::max(middle, batch.last);
    } else {
      last = middle - 1;
    }
  }
  const std::uint64_t gone = std::min(before, oldest.discarded);
  return {before, gone, std::min(before - gone, oldest.emptied)};
}

}  // namespace eventspace
