#include "monitors/efficiency/record_gaps.h"

#include <algorithm>

#include "tuplespace/system/saturating.h"

namespace eventspace::efficiency {

void RecordGaps::add(const RecordHeader& first, std::uint32_t process, std::int64_t begin_ns,
                     std::int64_t end_ns, bool is_counted) {
  const std::pair key(std::uint64_t{first.path} << 16 | first.point, process);
  if (elements_.size() >= max_elements && !elements_.contains(key)) return;
  Element& element = elements_[key];
  const bool is_missing = element.sequence != 0 && first.sequence > element.sequence + 1;
  if (is_missing && is_counted) {
    records_ += first.sequence - element.sequence - 1;
    time_ns_ = saturating::add(time_ns_, std::max<std::int64_t>(begin_ns - element.end_ns, 0));
  }
  element = {first.sequence + first.part, end_ns};  // the parts of an event count down to 0
}

}  // namespace eventspace::efficiency
