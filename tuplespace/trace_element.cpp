#include "tuplespace/trace_element.h"

#include <algorithm>
#include <utility>

namespace eventspace {
namespace {

constexpr int attempts = 8;
// Beyond this a ring's head is damage (it would take centuries): such a ring reads as one without tuples.
constexpr std::uint64_t highest_sequence = std::uint64_t{1} << 62;

// The first words of a slot, in their order. Not a loop: a pull does this for each of its trace elements.
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

}  // namespace

TraceReader::Batch TraceReader::read_after(std::uint64_t after, std::size_t limit,
                                           std::vector<TraceTuple>& out) const {
  const std::uint64_t head = published();
  if (head > highest_sequence) return {after, 0, 0, 0};
  after = std::min(after, head);
  const std::uint64_t oldest_kept = head > threshold_ ? head - threshold_ + 1 : 1;
  const std::uint64_t first = std::max(after + 1, oldest_kept);
  const std::uint64_t end = first + std::min<std::uint64_t>(head + 1 - first, limit);

  const std::size_t kept_before = out.size();
  for (std::uint64_t s = first; s < end; ++s) out.push_back(copy(slot(s)));

  // Invariant 3: what the writer may have reached while we copied is dropped, from the front.
  const std::uint64_t head_now = published();
  const std::uint64_t safe = head_now >= threshold_ ? head_now - threshold_ + 1 : 1;
  const std::uint64_t whole = std::clamp(safe, first, end);
  Batch batch;
  batch.last = end - 1;
  batch.discarded = whole - (after + 1);
  std::size_t write = kept_before;
  for (std::uint64_t s = whole; s < end; ++s) {
    const TraceTuple& tuple = out[kept_before + (s - first)];
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
    const std::uint64_t head = published();
    if (head == 0) return std::nullopt;
    const TraceTuple tuple = copy(slot(head));
    if (tuple.words[0] == head && published() < head + threshold_) return tuple;
  }
  return std::nullopt;
}

std::optional<TraceTuple> TraceReader::in_flight() const noexcept {
  for (int i = 0; i < attempts; ++i) {
    const std::uint64_t head = published();
    const TraceRing::Word* const next = slot(head + 1);
    if (next->load(std::memory_order_acquire) != head + 1) {  // most often
      if (published() == head) return std::nullopt;
      continue;
    }
    const TraceTuple tuple = copy<4>(next);
    if (published() != head) continue;
    if (tuple.words[0] != head + 1) return std::nullopt;
    return tuple;
  }
  return std::nullopt;
}

// One look at a ring whose writer does nothing meanwhile, which is most often: both slots are as they were
// when `published` was read, as it still is what it was. Anything else is for the two apart.
bool TraceReader::read_newest(std::vector<TraceTuple>& out) const {
  const std::uint64_t head = published();
  if (head == 0 || head > highest_sequence) return read_newest_apart(out);
  const std::uint64_t at = index(head);
  const TraceRing::Word* const newest = slots_ + at * stride();
  const TraceRing::Word* const next = at == threshold_ ? slots_ : newest + stride();
  const std::size_t kept_before = out.size();
  copy_to(out.emplace_back(), newest);
  const bool in_flight = next->load(std::memory_order_acquire) == head + 1;
  if (in_flight) copy_to<4>(out.emplace_back(), next);
  const bool whole = out[kept_before].words[0] == head && (!in_flight || out.back().words[0] == head + 1);
  if (whole && published() == head) return in_flight;
  out.resize(kept_before);
  return read_newest_apart(out);
}

bool TraceReader::read_newest_apart(std::vector<TraceTuple>& out) const {
  if (const auto tuple = newest()) out.push_back(*tuple);
  const auto begun = in_flight();
  if (begun) out.push_back(*begun);
  return begun.has_value();
}

}  // namespace eventspace
