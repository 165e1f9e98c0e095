#include "tuplespace/shared_tuples.h"

#include <algorithm>
#include <cstring>

#include "tuplespace/error.h"
#include "tuplespace/kept_tuples.h"

namespace eventspace::shared_element {
namespace {

Head& head_of(std::byte* memory) noexcept { return *reinterpret_cast<Head*>(memory); }

Row* rows_of(std::byte* memory) noexcept { return reinterpret_cast<Row*>(memory + sizeof(Head)); }

const Ledger& active_ledger(const Head& head) noexcept {
  return head.ledgers[head.control.active.load(std::memory_order_acquire) % 2];
}

// A release store: it cannot come before that of Control::active.
void mark_gone(std::byte* memory, const Geometry& geometry, const Ledger& ledger) noexcept {
  if (ledger.gone == 0) return;
  rows_of(memory)[(ledger.gone - 1) % geometry.rows].gone.store(1, std::memory_order_release);
}

}  // namespace

SharedTuples::SharedTuples(std::byte* memory, const Geometry& geometry, const Signature& signature)
    : memory_(memory),
      geometry_(geometry),
      signature_(signature),
      head_(head_of(memory)),
      ledger_(active_ledger(head_)) {
  const std::uint64_t window = ledger_.end - ledger_.first;
  if (window > geometry.rows || ledger_.kept > window || ledger_.kept > geometry.most ||
      ledger_.kept_bytes > geometry.room)
    throw Damage{"its counts"};
  ledger_.gone = 0;
}

void SharedTuples::mend(std::byte* memory, const Geometry& geometry) noexcept {
  mark_gone(memory, geometry, active_ledger(head_of(memory)));
}

void SharedTuples::commit() noexcept {
  const std::uint32_t next = head_.control.active.load(std::memory_order_relaxed) + 1;
  if (changed_discards_) {
    Discards& discards = head_.discards[++ledger_.discards % 2];
    const auto& spans = changed_discards_->spans();
    discards.count = spans.size();
    std::copy(spans.begin(), spans.end(), discards.spans.begin());
  }
  head_.ledgers[next % 2] = ledger_;
  head_.control.active.store(next, std::memory_order_release);
  mark_gone(memory_, geometry_, ledger_);
}

// --- what is kept ----------------------------------------------------------------------------------------

Row& SharedTuples::row(std::uint64_t number) const noexcept {
  return rows_of(memory_)[number % geometry_.rows];
}

SharedTuples::Kept SharedTuples::kept(std::uint64_t number) const {
  const Row& found = row(number);
  const Kept kept{found.sequence, found.position, found.size,
                  found.gone.load(std::memory_order_relaxed) != 0};
  if (kept.size > geometry_.room) throw Damage{"the size of a tuple"};
  return kept;
}

Bytes SharedTuples::part(std::uint64_t position, std::uint64_t size) const noexcept {
  const std::uint64_t offset = position % geometry_.arena;
  return {memory_ + geometry_.arena_offset() + offset, std::min(size, geometry_.arena - offset)};
}

Tuple SharedTuples::tuple(const Kept& kept) const {
  const Bytes first = part(kept.position, kept.size);
  const Bytes second = part(kept.position + first.size(), kept.size - first.size());
  try {
    return Tuple::decode(first, second, signature_);
  } catch (const ConfigurationError&) {
    throw Damage{"a tuple"};
  }
}

std::optional<SharedTuples::Found> SharedTuples::find(const Operation& fetch) const {
  for (std::uint64_t number = start_of(fetch); number != ledger_.end; ++number) {
    const Kept candidate = kept(number);
    if (candidate.gone) continue;
    Tuple found = tuple(candidate);
    if (selects(fetch, found)) return Found{number, candidate.sequence, std::move(found)};
  }
  return std::nullopt;
}

std::optional<SharedTuples::Found> SharedTuples::find_number(std::uint64_t sequence) const {
  const std::uint64_t after = first_after(sequence);
  if (after == ledger_.first) return std::nullopt;
  const Kept found = kept(after - 1);
  if (found.sequence != sequence || found.gone) return std::nullopt;
  return Found{after - 1, sequence, tuple(found)};
}

std::uint64_t SharedTuples::start_of(const Operation& fetch) const {
  if (fetch.from == From::after) return first_after(fetch.sequence);
  if (fetch.from == From::newest && ledger_.end != ledger_.first) return ledger_.end - 1;
  return ledger_.first;
}

std::uint64_t SharedTuples::first_after(std::uint64_t sequence) const {
  std::uint64_t low = ledger_.first;
  std::uint64_t count = ledger_.end - ledger_.first;
  while (count > 0) {
    const std::uint64_t half = count / 2;
    if (kept(low + half).sequence > sequence) {
      count = half;
    } else {
      low += half + 1;
      count -= half + 1;
    }
  }
  return low;
}

DiscardHistory SharedTuples::older_discards() const {
  if (changed_discards_) return *changed_discards_;
  const Discards& discards = head_.discards[ledger_.discards % 2];
  const std::uint64_t count = discards.count;
  if (count > discards.spans.size()) throw Damage{"its history of discards"};
  return DiscardHistory({discards.spans.data(), count});
}

std::uint64_t SharedTuples::discarded_after(std::uint64_t cursor) const {
  const DiscardHistory::Span& newest = ledger_.newest_discard;
  if (newest.count == 0) return 0;
  const std::uint64_t count = DiscardHistory::count_after(cursor, newest);
  return cursor + 1 >= newest.first ? count : count + older_discards().count_after(cursor);
}

// --- changes ---------------------------------------------------------------------------------------------

bool SharedTuples::has_room(std::uint64_t bytes) const noexcept {
  return ledger_.kept < geometry_.most && bytes <= geometry_.room - ledger_.kept_bytes;
}

std::uint64_t SharedTuples::append(Bytes encoded) {
  if (reaches(encoded.size())) close_gaps();
  append(++ledger_.written, encoded, {});
  return ledger_.written;
}

void SharedTuples::append(std::uint64_t sequence, Bytes first, Bytes second) {
  const auto size = static_cast<std::uint32_t>(first.size() + second.size());
  Row& fresh = row(ledger_.end);
  fresh.sequence = sequence;
  fresh.position = ledger_.position;
  fresh.size = size;
  fresh.gone.store(0, std::memory_order_relaxed);
  fill(ledger_.position, first);
  fill(ledger_.position + first.size(), second);
  ledger_.position += size;
  ++ledger_.end;
  ++ledger_.kept;
  ledger_.kept_bytes += size;
}

void SharedTuples::fill(std::uint64_t position, Bytes bytes) noexcept {
  while (!bytes.empty()) {
    const Bytes there = part(position, bytes.size());
    std::memmove(const_cast<std::byte*>(there.data()), bytes.data(), there.size());
    position += there.size();
    bytes = bytes.subspan(there.size());
  }
}

void SharedTuples::take(const Found& found) {
  uncount(kept(found.row));
  ++ledger_.taken;
  if (found.row == ledger_.first) {
    ++ledger_.first;
    step_over_gone_at_front();
  } else if (found.row == ledger_.end - 1) {
    --ledger_.end;
    step_back_over_gone_at_end();
  } else {
    ledger_.gone = found.row + 1;
  }
}

void SharedTuples::discard_oldest() {
  if (ledger_.first == ledger_.end) throw Damage{"what it keeps"};
  const Kept oldest = kept(ledger_.first);
  uncount(oldest);
  ++ledger_.discarded;
  ++ledger_.first;
  step_over_gone_at_front();
  remember_discard(oldest.sequence);
}

void SharedTuples::drop_through(std::uint64_t sequence) {
  while (ledger_.first != ledger_.end) {
    const Kept oldest = kept(ledger_.first);
    if (oldest.sequence > sequence) return;
    uncount(oldest);
    ++ledger_.dropped;
    ++ledger_.first;
    step_over_gone_at_front();
  }
}

void SharedTuples::uncount(const Kept& kept) noexcept {
  --ledger_.kept;
  ledger_.kept_bytes -= kept.size;
}

void SharedTuples::step_over_gone_at_front() {
  while (ledger_.first != ledger_.end && kept(ledger_.first).gone) ++ledger_.first;
}

void SharedTuples::step_back_over_gone_at_end() {
  while (ledger_.end != ledger_.first && kept(ledger_.end - 1).gone) --ledger_.end;
  if (ledger_.end == ledger_.first) throw Damage{"what it keeps"};
  const Kept newest = kept(ledger_.end - 1);
  ledger_.position = newest.position + newest.size;
}

void SharedTuples::remember_discard(std::uint64_t sequence) {
  DiscardHistory::Span& newest = ledger_.newest_discard;
  if (newest.count > 0 && newest.last + 1 == sequence) {
    newest.last = sequence;
    ++newest.count;
    return;
  }
  if (newest.count > 0) {
    DiscardHistory older = older_discards();
    older.add(newest);
    changed_discards_ = std::move(older);
  }
  newest = {sequence, sequence, 1};
}

/// Whether one more tuple would take the space into which close_gaps writes.
bool SharedTuples::reaches(std::uint64_t bytes) const {
  if (ledger_.first == ledger_.end) return false;
  const std::uint64_t used_bytes = ledger_.position - kept(ledger_.first).position;
  return ledger_.end - ledger_.first >= geometry_.rows - geometry_.most ||
         used_bytes + bytes > geometry_.arena - geometry_.room;
}

/// Writes what is kept once more, without what is gone between, behind what counts until the commit.
void SharedTuples::close_gaps() {
  const Ledger before = ledger_;
  ledger_.first = before.end;
  ledger_.kept = 0;
  ledger_.kept_bytes = 0;
  for (std::uint64_t number = before.first; number != before.end; ++number) {
    const Kept candidate = kept(number);
    if (candidate.gone) continue;
    const Bytes first = part(candidate.position, candidate.size);
    append(candidate.sequence, first, part(candidate.position + first.size(), candidate.size - first.size()));
  }
}

}  // namespace eventspace::shared_element
