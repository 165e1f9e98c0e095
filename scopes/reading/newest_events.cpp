#include "scopes/reading/newest_events.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "collectors/kinds/event_kinds.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

constexpr std::uint64_t looked_at = max_continuations + 1;

struct Newest {
  std::vector<TraceTuple> finished;  // oldest first
  std::optional<TraceTuple> in_flight;
};

// The writer may publish records between the two readings. The readings belong together only if it did not.
std::optional<Newest> read_once(const TraceReader& reader) {
  const std::uint64_t head = reader.published();
  Newest newest;
  const auto batch = reader.read_after(head - std::min(head, looked_at), looked_at, newest.finished);
  newest.in_flight = reader.in_flight();
  if (batch.last != head || reader.published() != head) return std::nullopt;
  return newest;
}

}  // namespace

void read_newest_events(const TraceReader& reader, std::vector<TraceTuple>& out) {
  constexpr int attempts = 8;
  std::optional<Newest> newest;
  for (int i = 0; i < attempts && !newest; ++i) newest = read_once(reader);
  if (!newest) return;
  const auto& finished = newest->finished;
  std::size_t parts = finished.size();  // where the continuation records at the end begin
  const EventKinds& kinds = EventKinds::instance();
  while (parts > 0 && kinds.records_after(finished[parts - 1]) > 0) --parts;
  if (parts > 0) out.push_back(finished[parts - 1]);
  if (!newest->in_flight) return;
  for (std::size_t i = parts; i < finished.size(); ++i) {
    if (continues(finished[i], *newest->in_flight)) out.push_back(finished[i]);
  }
  out.push_back(*newest->in_flight);
}

}  // namespace eventspace
