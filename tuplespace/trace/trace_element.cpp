#include "tuplespace/trace/trace_element.h"

#include <algorithm>
#include <array>
#include <utility>

namespace eventspace {
namespace {

constexpr int attempts = 8;
// A head above this is damage (counting that far would take centuries): the ring reads as empty.
constexpr std::uint64_t highest_sequence = std::uint64_t{1} << 62;

// Copies the first words of a slot, in order. Not a loop, because a pull does this for each of its trace
// elements.
template <std::size_t words = TraceRing::words_per_slot>
void copy_to(TraceTuple& tuple, const TraceRing::Word* slot) noexcept {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((tuple.words[i] = slot[i].load(std::memory_order_acquire)), ...);
  }
  (std::make_index_sequence<words>{});
}

template <std::size_t words = TraceRing::words_per_slot>
TraceTuple copy(const TraceRing::Word* slot) noexcept {
  TraceTuple tuple;
  copy_to<words>(tuple, slot);
  return tuple;
}

// Copies the start half of the operation in flight: point 6 of the protocol.
void copy_begun_to(TraceTuple& tuple, const TraceRing::Word* slot) noexcept {
  copy_to<4>(tuple, slot);
  for (std::size_t i = 5; i < TraceRing::words_per_slot; ++i)
    tuple.words[i] = slot[i].load(std::memory_order_acquire);
  // Word 4 last: if it is 0, no words of an end half were copied.
  if (slot[4].load(std::memory_order_acquire) != 0) tuple.words[5] = tuple.words[6] = tuple.words[7] = 0;
}

}  // namespace

void TraceRing::empty(std::byte* block, std::uint16_t lanes, std::uint16_t lane) noexcept {
  Word* const words = reinterpret_cast<Word*>(block);
  // Acquire, so that a reader that sees this floor sees a head that is not below it.
  const std::uint64_t head = words[lane].load(std::memory_order_acquire);
  Word& to_raise = words[floor(lanes, lane)];
  std::uint64_t now = to_raise.load(std::memory_order_relaxed);
  // Two threads may empty the ring at a time: the floor never decreases.
  while (now < head &&
         !to_raise.compare_exchange_weak(now, head, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

inline TraceReader::Ends TraceReader::ends() const noexcept {
  const std::uint64_t lowest = floor()->load(std::memory_order_acquire);
  const std::uint64_t head = published();
  // Damaged or forged: ignored.
  return {lowest > head ? 0 : lowest, head};
}

std::uint64_t TraceReader::kept_after(std::uint64_t after) const noexcept {
  const auto [floor, head] = ends();
  return std::min<std::uint64_t>(head - std::min(head, std::max(after, floor)), threshold_);
}

TraceReader::Batch TraceReader::read_after(std::uint64_t after, std::size_t limit,
                                           std::vector<TraceTuple>& out) const {
  const auto [floor, head] = ends();
  if (head > highest_sequence) return {.last = after};
  after = std::min(after, head);
  const std::uint64_t oldest_kept = head > threshold_ ? head - threshold_ + 1 : 1;
  const std::uint64_t first = std::max({after + 1, oldest_kept, floor + 1});
  const std::uint64_t end = first + std::min<std::uint64_t>(head + 1 - first, limit);

  const std::size_t kept_before = out.size();
  for (std::uint64_t s = first; s < end; ++s) out.push_back(copy(slot(s)));

  // Point 3 of the protocol: drop, from the front, the tuples that the writer may have overwritten during the
  // copying.
  const std::uint64_t head_now = published();
  const std::uint64_t safe = head_now >= threshold_ ? head_now - threshold_ + 1 : 1;
  const std::uint64_t whole = std::clamp(safe, first, end);
  Batch batch;
  batch.last = end - 1;
  // The ring held the `threshold` tuples up to the floor when it was emptied.
  batch.emptied = floor > after ? std::min<std::uint64_t>(floor - after, threshold_) : 0;
  batch.discarded = whole - (after + 1) - batch.emptied;
  std::size_t write = kept_before;
  for (std::uint64_t s = whole; s < end; ++s) {
    const TraceTuple& tuple = out[kept_before + (s - first)];
    // A whole slot contains its own number; another number is damage.
    if (tuple.words[0] == s) {
      out[write++] = tuple;
    } else {
      ++batch.torn;
    }
  }
  out.resize(write);
  batch.copied = write - kept_before;
  return batch;
}

std::optional<TraceTuple> TraceReader::newest() const noexcept {
  for (int i = 0; i < attempts; ++i) {
    const auto [floor, head] = ends();
    if (head == floor) return std::nullopt;
    const TraceTuple tuple = copy(slot(head));
    if (tuple.words[0] == head && published() < head + threshold_) return tuple;
  }
  return std::nullopt;
}

std::optional<TraceTuple> TraceReader::in_flight() const noexcept {
  for (int i = 0; i < attempts; ++i) {
    const std::uint64_t head = published();
    const TraceRing::Word* const next = slot(head + 1);
    if (next->load(std::memory_order_acquire) != head + 1) {  // the usual case: no operation in flight
      if (published() == head) return std::nullopt;
      continue;
    }
    // If the head is unchanged afterwards, the slot is still the one in flight.
    TraceTuple tuple;
    copy_begun_to(tuple, next);
    if (published() != head) continue;
    if (tuple.words[0] != head + 1) return std::nullopt;
    return tuple;
  }
  return std::nullopt;
}

TraceReader::Place TraceReader::look() const noexcept {
  const auto [floor, head] = ends();
  if (head == floor || head > highest_sequence) return {};
  const std::uint64_t at = index(head);
  const TraceRing::Word* const newest = slots_ + at * stride();
  return {head, newest, at == threshold_ ? slots_ : newest + stride()};
}

// Reads a ring whose writer has done nothing since look(), which is the usual case: `published` still has the
// same value, so both slots are as they were when it was read. Does not append in any other case.
inline TraceReader::Read TraceReader::read_at_rest(const Place& place, std::vector<TraceTuple>& out) const {
  if (place.newest == nullptr) return Read::nothing;
  TraceTuple& newest = out.emplace_back();
  copy_to(newest, place.newest);
  bool whole = newest.words[0] == place.head;
  const bool in_flight = place.next->load(std::memory_order_acquire) == place.head + 1;
  if (in_flight) [[unlikely]] {
    copy_begun_to(out.emplace_back(), place.next);
    whole = whole && out.back().words[0] == place.head + 1;
  }
  if (whole && published() == place.head) [[likely]]
    return in_flight ? Read::with_begun : Read::newest;
  out.resize(out.size() - (in_flight ? 2 : 1));
  return Read::nothing;
}

bool TraceReader::read_newest(std::vector<TraceTuple>& out) const {
  const Read read = read_at_rest(look(), out);
  return read == Read::nothing ? read_newest_apart(out) : read == Read::with_begun;
}

void TraceReader::read_newest(std::span<const TraceReader> readers, std::vector<TraceTuple>& out) {
  constexpr std::size_t ahead = 8;  // slots are prefetched this many readers ahead, heads twice as many
  std::array<Place, ahead> places;
  const auto look_at = [&](std::size_t i) {
    const TraceReader& later = readers[std::min(i + ahead, readers.size() - 1)];
    __builtin_prefetch(later.published_);
    __builtin_prefetch(later.floor());
    Place& place = places[i % ahead];
    place = readers[i].look();
    __builtin_prefetch(place.newest);
    __builtin_prefetch(place.next);
  };
  const auto read = [&](std::size_t i) {
    if (readers[i].read_at_rest(places[i % ahead], out) == Read::nothing) [[unlikely]]
      readers[i].read_newest(out);
  };
  const std::size_t first = std::min(ahead, readers.size());
  for (std::size_t i = 0; i < first; ++i) {
    __builtin_prefetch(readers[i].published_);
    __builtin_prefetch(readers[i].floor());
  }
  for (std::size_t i = 0; i < first; ++i) look_at(i);
  std::size_t i = 0;
  for (; i + ahead < readers.size(); ++i) {
    read(i);
    look_at(i + ahead);
  }
  for (; i < readers.size(); ++i) read(i);
}

bool TraceReader::read_newest_apart(std::vector<TraceTuple>& out) const {
  if (const auto tuple = newest()) out.push_back(*tuple);
  const auto begun = in_flight();
  if (begun) out.push_back(*begun);
  return begun.has_value();
}

}  // namespace eventspace
