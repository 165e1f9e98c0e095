#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "monitors/wait_states/run_activities.h"

namespace eventspace {

/// Calls `use(region, begin, end)` for each region of a location between two times, in their order. Pure.
template <class Use>
void for_each_region(const std::vector<RunActivities::RegionChange>& changes, std::int64_t begin,
                     std::int64_t end, const Use& use) {
  auto next = std::ranges::upper_bound(changes, begin, {}, &RunActivities::RegionChange::ns);
  while (begin < end) {
    const std::uint32_t region = next == changes.begin() ? 0 : std::prev(next)->region;
    const std::int64_t until = next == changes.end() ? end : std::min(next->ns, end);
    if (until > begin) use(region, begin, until);
    begin = std::max(begin, until);
    if (next != changes.end()) ++next;
  }
}

}  // namespace eventspace
