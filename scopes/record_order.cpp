#include "scopes/record_order.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <utility>

#include "collectors/event_record.h"

namespace eventspace {
namespace {

constexpr std::uint64_t last_rank = std::numeric_limits<std::uint64_t>::max();

std::uint64_t ascending_rank(const EventRecord& record, RecordOrder::By by) noexcept {
  switch (by) {
    case RecordOrder::By::start:
      return record.start;
    case RecordOrder::By::thread:
      return record.thread;
    case RecordOrder::By::end:
      return record.in_flight() ? last_rank : record.end;
    case RecordOrder::By::duration:
      break;
  }
  return record.in_flight() ? last_rank : record.end - record.start;
}

/// A record by its rank and its place: places, not records are moved about, as those are large.
struct Place {
  std::uint64_t rank;
  std::size_t index;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Part of the places that is in order: from the place at `next` to the one before `end`.
struct Run {
  std::size_t next;
  std::size_t end;
};

std::vector<Run> runs_in(const std::vector<Place>& places) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i].rank < places[i - 1].rank) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

/// Takes from the run whose next place comes first, as long as it does, with a heap of the other runs.
std::vector<Place> merged(const std::vector<Place>& places, std::vector<Run> runs) {
  const auto comes_later = [&](const Run& a, const Run& b) { return places[b.next] < places[a.next]; };
  std::make_heap(runs.begin(), runs.end(), comes_later);
  std::vector<Place> all;
  all.reserve(places.size());
  while (!runs.empty()) {
    std::pop_heap(runs.begin(), runs.end(), comes_later);
    Run run = runs.back();
    runs.pop_back();
    do {
      all.push_back(places[run.next++]);
    } while (run.next < run.end && (runs.empty() || places[run.next] < places[runs.front().next]));
    if (run.next == run.end) continue;
    runs.push_back(run);
    std::push_heap(runs.begin(), runs.end(), comes_later);
  }
  return all;
}

}  // namespace

std::uint64_t RecordOrder::rank(const TraceTuple& record) const noexcept {
  const std::uint64_t rank = ascending_rank(decode(record), by);
  return descending && rank != last_rank ? last_rank - 1 - rank : rank;
}

std::size_t put_in_order(std::vector<TraceTuple>& records, const RecordOrder& order) {
  constexpr std::size_t short_run = 4;  // below, a heap of runs costs more than sorting
  std::vector<Place> places;
  places.reserve(records.size());
  for (const TraceTuple& record : records) places.push_back({order.rank(record), places.size()});
  auto runs = runs_in(places);
  const std::size_t count = runs.size();
  if (count <= 1) return count;
  if (count * short_run > places.size()) {
    std::sort(places.begin(), places.end());
  } else {
    places = merged(places, std::move(runs));
  }
  std::vector<TraceTuple> sorted;
  sorted.reserve(places.size());
  for (const Place& place : places) sorted.push_back(records[place.index]);
  records = std::move(sorted);
  return count;
}

}  // namespace eventspace
