#include "scopes/reading/trace_cursor.h"

#include <algorithm>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "scopes/reading/look_back.h"

namespace eventspace {

void TraceCursor::look_back_to(std::uint64_t ticks, Loss& loss) {
  if (found_ == nullptr || position_.sent.looked) return;
  const Beginning beginning = find_beginning(found_->reader, ticks);
  position_.sent = {beginning.after, beginning.after > 0, 0};
  loss.earlier += beginning.gone;
  loss.emptied += beginning.emptied;
  loss.filtered += beginning.after - beginning.gone - beginning.emptied;
}

std::uint64_t TraceCursor::unread() const noexcept {
  return found_ == nullptr ? 0 : found_->reader.kept_after(position_.sent.sequence);
}

void TraceCursor::read(View& view) {
  is_cut_ = false;
  if (found_ == nullptr) return;
  const TraceReader::Batch batch =
      found_->reader.read_after(position_.sent.sequence, share_, view.records.own());
  (position_.sent.looked ? view.loss.discarded : view.loss.earlier) += batch.discarded;
  view.loss.emptied += batch.emptied;
  view.loss.torn += batch.torn;
  position_.sent = {batch.last, true, position_.sent.end};
  is_cut_ = batch.copied >= share_ && unread() > 0;
  if (batch.copied == 0) return;
  const std::size_t before = view.records.own().size() - batch.copied;
  complete_last_event(view);
  if (view.records.own().size() > before) position_.sent.end = header_of(view.records.own().back()).end;
}

// A share may end among the continuation records of an event: the rest of the event is read too. If the
// process is just writing them at the event's end, the event is cut in two, because waiting could last
// forever: the process may have been killed. Continuation records of the beginning of an event that has not
// ended are left for later.
void TraceCursor::complete_last_event(View& view) {
  auto& records = view.records.own();
  std::vector<TraceTuple> next;
  while (EventKinds::instance().records_after(records.back()) > 0) {
    next.clear();
    const TraceReader::Batch batch = found_->reader.read_after(position_.sent.sequence, 1, next);
    // The next read counts records lost in between, so that the loss comes before the records after it.
    if (next.size() != 1 || batch.last != position_.sent.sequence + 1) break;
    records.push_back(next.front());
    position_.sent.sequence = batch.last;
  }
  while (!records.empty() && header_of(records.back()).is_of_beginning() &&
         header_of(records.back()).sequence == position_.sent.sequence) {
    records.pop_back();
    --position_.sent.sequence;
  }
}

// Tries to read, because a damaged ring may publish any number and still return nothing.
bool TraceCursor::is_read_out() const {
  if (found_ == nullptr) return true;
  std::vector<TraceTuple> next;
  const std::uint64_t read = position_.committed.sequence;
  constexpr std::size_t several = max_continuations + 1;
  const std::uint64_t last = found_->reader.read_after(read, several, next).last;
  if (last <= read) return true;
  // If the process was killed while an event was in flight, read() leaves the beginning of the event.
  const auto is_of_beginning = [](const TraceTuple& record) { return header_of(record).is_of_beginning(); };
  return last - read == next.size() && next.size() < several && std::ranges::all_of(next, is_of_beginning);
}

}  // namespace eventspace
