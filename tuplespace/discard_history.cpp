#include "tuplespace/discard_history.h"

#include <algorithm>

namespace eventspace {

void DiscardHistory::add(const Span& span) {
  if (!spans_.empty() && spans_.back().last + 1 == span.first) {
    spans_.back().last = span.last;
    spans_.back().count += span.count;
    return;
  }
  spans_.push_back(span);
  if (spans_.size() > max_spans) merge_oldest();
}

void DiscardHistory::merge_oldest() {
  const Span oldest = spans_.front();
  spans_.pop_front();
  spans_.front().first = oldest.first;
  spans_.front().count += oldest.count;
}

std::uint64_t DiscardHistory::count_after(std::uint64_t cursor) const noexcept {
  std::uint64_t count = 0;
  for (auto span = spans_.rbegin(); span != spans_.rend() && span->last > cursor; ++span)
    count += count_after(cursor, *span);
  return count;
}

std::uint64_t DiscardHistory::count_after(std::uint64_t cursor, const Span& span) noexcept {
  // The places of the gaps in a merged span are forgotten. The smaller of both bounds is never below the true
  // count: at most `count` numbers were discarded, and at most all above the cursor.
  if (span.last <= cursor) return 0;
  return std::min(span.count, span.last - std::max(cursor, span.first - 1));
}

}  // namespace eventspace
