#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace eventspace::metrics {

/// Returns the index of `one` in `all`, whose entries are all different; appends it if it is new.
template <class T>
std::uint32_t place_among(std::vector<T>& all, T one) {
  const auto found = std::ranges::find(all, one);
  const auto place = static_cast<std::uint32_t>(found - all.begin());
  if (found == all.end()) all.push_back(std::move(one));
  return place;
}

}  // namespace eventspace::metrics
