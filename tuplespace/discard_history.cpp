#include "tuplespace/discard_history.h"

#include <algorithm>

namespace eventspace {

void DiscardHistory::add(std::uint64_t sequence) {
  if (!spans_.empty() && spans_.back().last + 1 == sequence) {
    spans_.back().last = sequence;
    ++spans_.back().count;
    return;
  }
  spans_.push_back({sequence, sequence, 1});
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
    count += std::min(span->count, span->last - std::max(cursor, span->first - 1));
  return count;
}

}  // namespace eventspace
