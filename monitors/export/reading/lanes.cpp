#include "monitors/export/reading/lanes.h"

namespace eventspace::exports {

std::uint32_t Lanes::place(std::int64_t begin, std::int64_t& end) {
  for (std::uint32_t lane = 0;; ++lane) {
    if (lane == open_.size()) open_.emplace_back();
    std::vector<std::int64_t>& ends = open_[lane];
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    const bool fits = ends.empty() || end <= ends.back();
    if (!fits && lane + 1 < most) continue;
    if (!fits) end = ends.back();
    ends.push_back(end);
    return lane;
  }
}

}  // namespace eventspace::exports
