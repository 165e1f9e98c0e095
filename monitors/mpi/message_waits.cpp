#include "monitors/mpi/message_waits.h"

#include <algorithm>
#include <bit>

namespace eventspace {

void MessageWaits::add(const Pair& pair, std::uint32_t function, std::uint64_t bytes, nanoseconds duration) {
  const Class of{function, static_cast<int>(std::bit_width(bytes))};
  if (counts_.size() >= max_entries && !counts_.contains({pair, of})) {
    ++left_out_;
    return;
  }
  const auto [shortest, is_new] = shortest_.try_emplace(of, duration);
  if (!is_new) shortest->second = std::min(shortest->second, duration);
  Count& count = counts_[{pair, of}];
  ++count.calls;
  count.in_calls += duration;
}

std::map<MessageWaits::Pair, MessageWaits::Sum> MessageWaits::sums() const {
  std::map<Pair, Sum> all;
  for (const auto& [key, count] : counts_) {
    Sum& sum = all[key.first];
    sum.calls += count.calls;
    sum.in_calls += count.in_calls;
    sum.waited += count.in_calls - shortest_.at(key.second) * static_cast<std::int64_t>(count.calls);
  }
  return all;
}

}  // namespace eventspace
