#include "collectors/probes/passage_counts.h"

#include <utility>

namespace eventspace {

std::optional<std::uint64_t> PassageCounts::first_of(std::uint32_t name) noexcept {
  if (has_failed_) return std::nullopt;
  try {
    if (2 * (used_ + 1) > places_.size()) grow();
  } catch (...) {  // a name that is counted later would begin at 0 again
    has_failed_ = true;
    return std::nullopt;
  }
  Place& place = place_of(name);
  place = {1, name, true};
  ++used_;
  return 0;
}

void PassageCounts::grow() {
  constexpr std::size_t fewest = 32;
  const std::vector<Place> before =
      std::exchange(places_, std::vector<Place>(places_.empty() ? fewest : 2 * places_.size()));
  for (const Place& place : before)
    if (place.is_used) place_of(place.name) = place;
}

}  // namespace eventspace
