#include "scopes/reading/trace_cursor.h"

#include <algorithm>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "scopes/reading/look_back.h"

namespace eventspace {

void TraceCursor::look_back_to(std::uint64_t ticks, Loss& loss) {
  if (found_ == nullptr || position_.sent.looked) return;
  const Beginning beginning = find_beginning(found_->reader, ticks);
  position_.sent = {beginning.after, beginning.after > 0};
  loss.earlier += beginning.gone;
  loss.emptied += beginning.emptied;
  loss.filtered += beginning.after - beginning.gone - beginning.emptied;
}

std::uint64_t TraceCursor::unread() const noexcept {
  return found_ == nullptr ? 0 : found_->reader.kept_after(position_.sent.sequence);
}

void TraceCursor::read(View& view) {
  if (found_ == nullptr) return;
  const TraceReader::Batch batch =
      found_->reader.read_after(position_.sent.sequence, share_, view.records.own());
  (position_.sent.looked ? view.loss.discarded : view.loss.earlier) += batch.discarded;
  view.loss.emptied += batch.emptied;
  view.loss.torn += batch.torn;
  position_.sent = {batch.last, true};
  if (batch.copied > 0) complete_last_event(view);
}

// A share may end among the continuation records of an event: the rest of it is read too. If the process is
// just writing them, the event is cut in two: waiting for it could last for ever, as the process may have
// been killed.
void TraceCursor::complete_last_event(View& view) {
  auto& records = view.records.own();
  const std::uint8_t to_come = EventKinds::instance().records_after(records.back());
  if (to_come == 0) return;
  const TraceReader::Batch rest = found_->reader.read_after(position_.sent.sequence, to_come, records);
  view.loss.discarded += rest.discarded;
  view.loss.emptied += rest.emptied;
  view.loss.torn += rest.torn;
  position_.sent.sequence = rest.last;
}

// Tries to read, because a damaged ring may publish any number and still return nothing.
bool TraceCursor::is_read_out() const {
  if (found_ == nullptr) return true;
  std::vector<TraceTuple> next;
  const std::uint64_t read = position_.committed.sequence;
  return found_->reader.read_after(read, 1, next).last <= read;
}

}  // namespace eventspace
