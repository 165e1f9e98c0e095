#include "monitors/delays/origin_shares.h"

#include <algorithm>

namespace eventspace {

void OriginShares::add(std::uint32_t origin, double ns) {
  if (!(ns > 0)) return;
  const auto place = std::ranges::lower_bound(entries_, origin, {}, &Entry::first);
  if (place != entries_.end() && place->first == origin) {
    place->second += ns;
    return;
  }
  entries_.insert(place, {origin, ns});
  if (entries_.size() > most) make_room();
}

// The smallest share moves to `unknown`, which exists from then on.
void OriginShares::make_room() {
  const auto named_end = entries_.back().first == unknown ? std::prev(entries_.end()) : entries_.end();
  const auto smallest = std::ranges::min_element(entries_.begin(), named_end, {}, &Entry::second);
  const double ns = smallest->second;
  entries_.erase(smallest);
  if (entries_.back().first != unknown) entries_.emplace_back(unknown, 0.0);
  entries_.back().second += ns;
  if (entries_.size() > most) make_room();
}

double OriginShares::of(std::uint32_t origin) const noexcept {
  const auto place = std::ranges::lower_bound(entries_, origin, {}, &Entry::first);
  return place != entries_.end() && place->first == origin ? place->second : 0;
}

double OriginShares::all() const noexcept {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.second;
  return sum;
}

OriginShares OriginShares::since(const OriginShares& before) const {
  OriginShares added;
  for (const auto& [origin, ns] : entries_) {
    const double more = ns - before.of(origin);
    if (more > 0) added.entries_.emplace_back(origin, more);
  }
  return added;
}

}  // namespace eventspace
