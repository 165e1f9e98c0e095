#include "monitors/archive/pull_pace.h"

#include <algorithm>
#include <utility>

#include "collectors/record_header.h"

namespace eventspace {

void PullPace::see(std::span<const TraceTuple> records) noexcept {
  const auto differ = [](const TraceTuple& a, const TraceTuple& b) {
    const RecordHeader one = header_of(a), other = header_of(b);
    return one.path != other.path || one.point != other.point;
  };
  while (!records.empty()) {
    const auto last = std::ranges::adjacent_find(records, differ);
    const auto count =
        last == records.end() ? records.size() : static_cast<std::size_t>(last - records.begin()) + 1;
    most_ = std::max<std::uint64_t>(most_, count);
    records = records.subspan(count);
  }
}

std::chrono::nanoseconds PullPace::next(std::chrono::nanoseconds elapsed) noexcept {
  constexpr double share = 1.0 / 16;
  const std::uint64_t most = std::exchange(most_, 0);
  const bool is_unknown = std::exchange(hurries_, false) || most == 0;
  const double wanted =
      share * static_cast<double>(config_.threshold) / static_cast<double>(std::max<std::uint64_t>(most, 1));
  const auto pause = std::chrono::duration<double, std::nano>(elapsed) * wanted;
  const auto max_now = std::min<std::chrono::duration<double, std::nano>>(2 * pause_, config_.longest);
  if (is_unknown || pause < config_.shortest) return pause_ = config_.shortest;
  return pause_ = std::chrono::duration_cast<std::chrono::nanoseconds>(std::min(pause, max_now));
}

}  // namespace eventspace
