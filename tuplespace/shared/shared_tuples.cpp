#include "tuplespace/shared/shared_tuples.h"

#include <algorithm>

#include <eventspace/error.h>
#include "tuplespace/kept_tuples.h"

namespace eventspace::shared_element {
namespace {

Head& head_of(std::byte* memory) noexcept { return *reinterpret_cast<Head*>(memory); }

Account& account_of(Head& head, std::uint32_t active) noexcept {
  return head.accounts[(active & second_account) != 0 ? 1 : 0];
}

// Comes after the store of Control::active, which it cannot move before.
void mark_gone(SharedRows rows, Head& head, std::uint32_t active) noexcept {
  if ((active & names_gone) != 0) rows.mark_gone(account_of(head, active).gone);
}

}  // namespace

SharedTuples::SharedTuples(std::byte* memory, const Geometry& geometry, const Signature& signature)
    : rows_(memory, geometry),
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
  Head& head = head_of(memory);
  mark_gone({memory, geometry}, head, head.control.active.load(std::memory_order_acquire));
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
  mark_gone(rows_, head_, next);
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

Tuple SharedTuples::tuple(const SharedRows::Kept& kept) const {
  const SharedRows::Halves bytes = rows_.bytes_of(kept);
  try {
    return Tuple::decode(bytes.first, bytes.second, signature_);
  } catch (const ConfigurationError&) {
    throw Damage{"a tuple"};
  }
}

std::optional<SharedTuples::Found> SharedTuples::find(const Operation& fetch) const {
  for (std::uint32_t number = start_of(fetch); number != ledger_.end; ++number) {
    const SharedRows::Kept candidate = rows_.kept(number);
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
  const SharedRows::Kept found = rows_.kept(after - 1);
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
    if (rows_.kept(low + half).sequence > sequence) {
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

void SharedTuples::append(std::uint64_t sequence, const SharedRows::Halves& bytes) {
  ledger_.position = rows_.write(ledger_.end, sequence, ledger_.position, bytes);
  ++ledger_.end;
  ledger_.kept_bytes += bytes.size();
}

void SharedTuples::take(const Found& found) {
  ledger_.kept_bytes -= rows_.kept(found.row).size;
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
  const SharedRows::Kept oldest = rows_.kept(ledger_.first);
  ledger_.kept_bytes -= oldest.size;
  ++changed_account().discarded;
  ++ledger_.first;
  step_over_gone_at_front();
  remember_discard(oldest.sequence);
}

void SharedTuples::drop_through(std::uint64_t sequence) {
  while (ledger_.first != ledger_.end) {
    const SharedRows::Kept oldest = rows_.kept(ledger_.first);
    if (oldest.sequence > sequence) return;
    ledger_.kept_bytes -= oldest.size;
    ++changed_account().dropped;
    ++ledger_.first;
    step_over_gone_at_front();
  }
}

void SharedTuples::step_over_gone_at_front() {
  while (ledger_.first != ledger_.end && rows_.kept(ledger_.first).gone) {
    ++ledger_.first;
    leave_gap();
  }
}

void SharedTuples::step_back_over_gone_at_end() {
  while (ledger_.end != ledger_.first && rows_.kept(ledger_.end - 1).gone) {
    --ledger_.end;
    leave_gap();
  }
  // Rows must be left: the oldest row is never gone, and the only row is taken at the front.
  if (ledger_.end == ledger_.first) throw Damage{"its rows"};
  ledger_.position = rows_.kept(ledger_.end - 1).end();
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
  const std::uint32_t used_bytes = ledger_.position - rows_.kept(ledger_.first).position;
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
    const SharedRows::Kept candidate = rows_.kept(number);
    if (!candidate.gone) append(candidate.sequence, rows_.bytes_of(candidate));
  }
}

}  // namespace eventspace::shared_element
