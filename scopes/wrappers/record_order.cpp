#include "scopes/wrappers/record_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include <eventspace/error.h>
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

constexpr std::uint64_t last_rank = std::numeric_limits<std::uint64_t>::max();

/// The rest of a run: records [next, end), which are in order; `rank` is the rank of the first.
struct Run {
  std::uint64_t rank;
  std::size_t next;
  std::size_t end;
  /// Equal ranks are ordered by place, which makes the merge stable.
  friend bool operator<(const Run& a, const Run& b) noexcept {
    return std::tie(a.rank, a.next) < std::tie(b.rank, b.next);
  }
};

std::vector<Run> runs_in(const std::vector<std::uint64_t>& ranks) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == 0 || ranks[i] < ranks[i - 1]) runs.push_back({ranks[i], i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

/// Restores the heap, least first, after its first entry has changed.
void sink_first(std::vector<Run>& heap) noexcept {
  if (heap.empty()) return;
  const Run sinking = heap.front();
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
    if (sinking < heap[child]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = sinking;
}

std::vector<TraceTuple> merged(const std::vector<TraceTuple>& records,
                               const std::vector<std::uint64_t>& ranks, std::vector<Run> runs) {
  std::vector<TraceTuple> all;
  all.reserve(records.size());
  std::sort(runs.begin(), runs.end());  // sorted runs are a heap
  while (!runs.empty()) {
    Run& first = runs.front();
    all.push_back(records[first.next]);
    if (++first.next < first.end) {
      first.rank = ranks[first.next];
    } else {
      std::swap(first, runs.back());
      runs.pop_back();
    }
    sink_first(runs);
  }
  return all;
}

// Sorts indices instead of records, which are large; std::stable_sort would not align its buffer for them.
std::vector<TraceTuple> sorted(const std::vector<TraceTuple>& records,
                               const std::vector<std::uint64_t>& ranks) {
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  places.reserve(ranks.size());
  for (const std::uint64_t rank : ranks) places.emplace_back(rank, places.size());
  std::sort(places.begin(), places.end());
  std::vector<TraceTuple> all;
  all.reserve(records.size());
  for (const auto& [rank, place] : places) all.push_back(records[place]);
  return all;
}

}  // namespace

RecordOrder::RecordOrder(std::string_view field, bool descending) : descending_(descending) {
  const EventKinds& kinds = EventKinds::instance();
  const auto found = kinds.field_named(field);
  if (!found || !kinds.field(*found).orders)
    throw ConfigurationError(fmt::format("events cannot be sorted by '{}'", field));
  field_ = *found;
  source_ = kinds.field(field_).source;
}

std::uint64_t RecordOrder::rank(const TraceTuple& record) const noexcept {
  const std::uint64_t rank = ascending_rank(record);
  return descending_ && rank != last_rank ? last_rank - 1 - rank : rank;
}

std::uint64_t RecordOrder::ascending_rank(const TraceTuple& record) const noexcept {
  const std::uint64_t start = record.words[1];
  const std::uint64_t end = record.words[4];
  switch (source_) {
    case FieldSource::start:
      return start;
    case FieldSource::end:
      return end == 0 ? last_rank : end;
    case FieldSource::duration:
      return end == 0 ? last_rank : end - start;
    default:
      break;
  }
  const FieldPlace* const place = EventKinds::instance().place(header_of(record).kind, field_);
  return place == nullptr ? last_rank : place->bits_of(record).value_or(last_rank);
}

std::size_t put_in_order(std::vector<TraceTuple>& records, const RecordOrder& order) {
  constexpr std::size_t short_run = 4;  // with shorter runs a heap costs more than sorting
  std::vector<std::uint64_t> ranks;
  ranks.reserve(records.size());
  // The records of an event stay together: they have the rank of its own record.
  for_each_event(records, [&](std::span<const TraceTuple> event) {
    ranks.insert(ranks.end(), event.size(), order.rank(event.back()));
  });
  auto runs = runs_in(ranks);
  const std::size_t count = runs.size();
  if (count <= 1) return count;
  records =
      count * short_run > ranks.size() ? sorted(records, ranks) : merged(records, ranks, std::move(runs));
  return count;
}

}  // namespace eventspace
