#include "tuplespace/shared/shared_tuples.h"

#include <algorithm>
#include <cstring>

#include <eventspace/error.h>
#include "tuplespace/kept_tuples.h"

namespace eventspace::shared_element {
namespace {

Head& head_of(std::byte* memory) noexcept { return *reinterpret_cast<Head*>(memory); }

Row* rows_of(std::byte* memory) noexcept { return reinterpret_cast<Row*>(memory + sizeof(Head)); }

Account& account_of(Head& head, std::uint32_t active) noexcept {
  return head.accounts[(active & second_account) != 0 ? 1 : 0];
}

// The release store cannot move before the store of Control::active.
void mark_gone(std::byte* memory, const Geometry& geometry, std::uint32_t active) noexcept {
  if ((active & names_gone) == 0) return;
  const std::uint32_t gone = account_of(head_of(memory), active).gone;
  rows_of(memory)[gone & (geometry.rows - 1)].gone.store(1, std::memory_order_release);
}

bool fits_row(std::uint32_t size) noexcept { return size <= sizeof(Row::bytes); }

}  // namespace

SharedTuples::SharedTuples(std::byte* memory, const Geometry& geometry, const Signature& signature)
    : memory_(memory),
      geometry_(geometry),
      signature_(signature),
      head_(head_of(memory)),
      active_(head_.control.active.load(std::memory_order_acquire)),
      ledger_(head_.control.ledgers[active_ & second_ledger]) {
  if (window() > geometry.rows || account().gaps > window() || kept_count() > geometry.most ||
      ledger_.kept_bytes > geometry.room)
    throw Damage{"its counts"};
}

void SharedTuples::mend(std::byte* memory, const Geometry& geometry) noexcept {
  mark_gone(memory, geometry, head_of(memory).control.active.load(std::memory_order_acquire));
}

void SharedTuples::commit() noexcept {
  if (changed_discards_) {
    // Written to the Discards that are not current; the new Account selects them.
    Discards& discards = head_.discards[++changed_account().discards % 2];
    const auto& spans = changed_discards_->spans();
    discards.count = spans.size();
    std::copy(spans.begin(), spans.end(), discards.spans.begin());
  }
  std::uint32_t next = (active_ ^ second_ledger) & ~std::uint32_t{names_gone};
  if (changed_account_) {
    next ^= second_account;
    account_of(head_, next) = *changed_account_;
  }
  if (takes_between_) next |= names_gone;
  // The release store below publishes all of this: a killed process leaves either the old state or the new
  // one.
  head_.control.ledgers[next & second_ledger] = ledger_;
  head_.control.active.store(next, std::memory_order_release);
  mark_gone(memory_, geometry_, next);
}

const Account& SharedTuples::account() const noexcept {
  return changed_account_ ? *changed_account_ : account_of(head_, active_);
}

Account& SharedTuples::changed_account() {
  if (!changed_account_) changed_account_ = account_of(head_, active_);
  return *changed_account_;
}

Element::Counts SharedTuples::counts() const {
  const Account& rest = account();
  const std::uint64_t taken = ledger_.written - rest.discarded - rest.dropped - kept_count();
  return {ledger_.written, taken, rest.discarded, rest.dropped, rest.refused, kept_count()};
}

// --- kept tuples -----------------------------------------------------------------------------------------

Row& SharedTuples::row(std::uint32_t number) const noexcept {
  return rows_of(memory_)[number & (geometry_.rows - 1)];
}

SharedTuples::Kept SharedTuples::kept(std::uint32_t number) const {
  const Row& found = row(number);
  const Kept kept{number, found.sequence, found.position, found.size,
                  found.gone.load(std::memory_order_relaxed) != 0};
  // Checked here once for all users of the size.
  if (kept.size > geometry_.room) throw Damage{"the size of a tuple"};
  return kept;
}

Bytes SharedTuples::part(std::uint32_t position, std::uint32_t size) const noexcept {
  // The mask keeps the offset inside the arena, whatever value the memory holds; so does the mask in row().
  const std::uint64_t offset = position & (geometry_.arena - 1);
  return {memory_ + geometry_.arena_offset() + offset,
          std::min<std::uint64_t>(size, geometry_.arena - offset)};
}

SharedTuples::Halves SharedTuples::bytes_of(const Kept& kept) const noexcept {
  if (fits_row(kept.size)) return {{row(kept.number).bytes.data(), kept.size}, {}};
  const Bytes first = part(kept.position, kept.size);
  const auto begun = static_cast<std::uint32_t>(first.size());
  return {first, part(kept.position + begun, kept.size - begun)};
}

Tuple SharedTuples::tuple(const Kept& kept) const {
  const Halves bytes = bytes_of(kept);
  try {
    return Tuple::decode(bytes.first, bytes.second, signature_);
  } catch (const ConfigurationError&) {
    throw Damage{"a tuple"};
  }
}

std::optional<SharedTuples::Found> SharedTuples::find(const Operation& fetch) const {
  for (std::uint32_t number = start_of(fetch); number != ledger_.end; ++number) {
    const Kept candidate = kept(number);
    if (candidate.gone) continue;
    // Decoded before the template is applied: memory that another process can write to is read only once.
    Tuple found = tuple(candidate);
    if (selects(fetch, found)) return Found{number, candidate.sequence, std::move(found)};
  }
  return std::nullopt;
}

std::optional<SharedTuples::Found> SharedTuples::find_number(std::uint64_t sequence) const {
  const std::uint32_t after = first_after(sequence);
  if (after == ledger_.first) return std::nullopt;
  const Kept found = kept(after - 1);
  if (found.sequence != sequence || found.gone) return std::nullopt;
  return Found{after - 1, sequence, tuple(found)};
}

std::uint32_t SharedTuples::start_of(const Operation& fetch) const {
  if (fetch.from == From::after) return first_after(fetch.sequence);
  if (fetch.from == From::newest && ledger_.end != ledger_.first) return ledger_.end - 1;
  return ledger_.first;
}

std::uint32_t SharedTuples::first_after(std::uint64_t sequence) const {
  std::uint32_t low = ledger_.first;
  std::uint32_t count = window();
  while (count > 0) {
    const std::uint32_t half = count / 2;
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
  const Discards& discards = head_.discards[account().discards % 2];
  const std::uint64_t count = discards.count;
  if (count > discards.spans.size()) throw Damage{"its history of discards"};
  return DiscardHistory({discards.spans.data(), count});
}

std::uint64_t SharedTuples::discarded_after(std::uint64_t cursor) const {
  const DiscardHistory::Span newest = account().newest_discard;
  if (newest.count == 0) return 0;
  const std::uint64_t count = DiscardHistory::count_after(cursor, newest);
  return cursor + 1 >= newest.first ? count : count + older_discards().count_after(cursor);
}

// --- changes ---------------------------------------------------------------------------------------------

bool SharedTuples::has_room(std::uint64_t bytes) const noexcept {
  return kept_count() < geometry_.most && bytes <= geometry_.room - ledger_.kept_bytes;
}

std::uint64_t SharedTuples::append(Bytes encoded) {
  // Gaps in the middle use rows and bytes that only copying can free.
  if (reaches(encoded.size())) close_gaps();
  append(++ledger_.written, {encoded, {}});
  return ledger_.written;
}

void SharedTuples::append(std::uint64_t sequence, const Halves& bytes) {
  const auto begun = static_cast<std::uint32_t>(bytes.first.size());
  const auto size = static_cast<std::uint32_t>(begun + bytes.second.size());
  Row& fresh = row(ledger_.end);
  fresh.sequence = sequence;
  fresh.position = ledger_.position;
  fresh.size = size;
  fresh.gone.store(0, std::memory_order_relaxed);
  if (fits_row(size)) {
    std::copy(bytes.first.begin(), bytes.first.end(), fresh.bytes.begin());
    std::copy(bytes.second.begin(), bytes.second.end(), fresh.bytes.begin() + begun);
  } else {
    fill(ledger_.position, bytes.first);
    fill(ledger_.position + begun, bytes.second);
    ledger_.position += size;
  }
  ++ledger_.end;
  ledger_.kept_bytes += size;
}

void SharedTuples::fill(std::uint32_t position, Bytes bytes) noexcept {
  while (!bytes.empty()) {
    const Bytes there = part(position, static_cast<std::uint32_t>(bytes.size()));
    std::memmove(const_cast<std::byte*>(there.data()), bytes.data(), there.size());
    position += static_cast<std::uint32_t>(there.size());
    bytes = bytes.subspan(there.size());
  }
}

void SharedTuples::take(const Found& found) {
  ledger_.kept_bytes -= kept(found.row).size;
  if (found.row == ledger_.first) {
    ++ledger_.first;
    step_over_gone_at_front();
  } else if (found.row == ledger_.end - 1) {
    --ledger_.end;
    step_back_over_gone_at_end();
  } else {
    Account& changed = changed_account();
    changed.gone = found.row;
    ++changed.gaps;
    takes_between_ = true;
  }
}

void SharedTuples::discard_oldest() {
  if (ledger_.first == ledger_.end) throw Damage{"its rows"};
  const Kept oldest = kept(ledger_.first);
  ledger_.kept_bytes -= oldest.size;
  ++changed_account().discarded;
  ++ledger_.first;
  step_over_gone_at_front();
  remember_discard(oldest.sequence);
}

void SharedTuples::drop_through(std::uint64_t sequence) {
  while (ledger_.first != ledger_.end) {
    const Kept oldest = kept(ledger_.first);
    if (oldest.sequence > sequence) return;
    ledger_.kept_bytes -= oldest.size;
    ++changed_account().dropped;
    ++ledger_.first;
    step_over_gone_at_front();
  }
}

void SharedTuples::step_over_gone_at_front() {
  while (ledger_.first != ledger_.end && kept(ledger_.first).gone) {
    ++ledger_.first;
    leave_gap();
  }
}

void SharedTuples::step_back_over_gone_at_end() {
  while (ledger_.end != ledger_.first && kept(ledger_.end - 1).gone) {
    --ledger_.end;
    leave_gap();
  }
  // Rows must be left: the oldest row is never gone, and the only row is taken at the front.
  if (ledger_.end == ledger_.first) throw Damage{"its rows"};
  const Kept newest = kept(ledger_.end - 1);
  ledger_.position = newest.position + (fits_row(newest.size) ? 0 : newest.size);
}

void SharedTuples::leave_gap() {
  Account& changed = changed_account();
  if (changed.gaps == 0) throw Damage{"its counts"};
  --changed.gaps;
}

void SharedTuples::remember_discard(std::uint64_t sequence) {
  DiscardHistory::Span& newest = changed_account().newest_discard;
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

/// Whether another tuple of `bytes` bytes would leave too little space for close_gaps() to copy all kept
/// tuples.
bool SharedTuples::reaches(std::uint64_t bytes) const {
  if (ledger_.first == ledger_.end) return false;
  const std::uint32_t used_bytes = ledger_.position - kept(ledger_.first).position;
  return window() >= geometry_.rows - geometry_.most || used_bytes + bytes > geometry_.arena - geometry_.room;
}

/// Copies the kept tuples, without the gaps, after the rows and bytes of the current state, which stays
/// intact until the commit.
void SharedTuples::close_gaps() {
  const Ledger before = ledger_;
  ledger_.first = before.end;
  ledger_.kept_bytes = 0;
  if (account().gaps != 0) changed_account().gaps = 0;
  for (std::uint32_t number = before.first; number != before.end; ++number) {
    const Kept candidate = kept(number);
    if (!candidate.gone) append(candidate.sequence, bytes_of(candidate));
  }
}

}  // namespace eventspace::shared_element
