#include "monitors/watching/under_way_numbers.h"

namespace eventspace {

UnderWayNumbers::UnderWayNumbers(const View& newest) {
  for (const TraceTuple& tuple : newest.records) {
    const EventRecord record = decode(tuple);
    if (!record.is_operation() || record.verb != Verb::exchange || record.in_flight()) continue;
    ended_.insert_or_assign({record.path, record.point}, Ended{record.sequence, record.parameter});
  }
}

bool UnderWayNumbers::has_ended_one(const EventRecord& under_way) const {
  return ended_.contains({under_way.path, under_way.point});
}

std::optional<std::uint64_t> UnderWayNumbers::of(const EventRecord& under_way) const {
  const auto found = ended_.find({under_way.path, under_way.point});
  if (found == ended_.end()) return std::nullopt;
  const Ended& before = found->second;
  if (before.number == 0 || under_way.sequence <= before.sequence) return std::nullopt;
  return before.number + under_way.sequence - before.sequence;
}

}  // namespace eventspace
