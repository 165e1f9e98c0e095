#include "monitors/web/timeline/class_times.h"

#include <algorithm>
#include <tuple>

namespace eventspace::web {
namespace {

auto place_of(const ClassTimes::Entry& entry) { return std::tuple(entry.bin, entry.of); }

}  // namespace

void ClassTimes::change(OperationClass of, std::int64_t begin, std::int64_t end, int sign,
                        std::uint32_t begun) {
  std::int64_t at = begin;
  do {
    const std::int64_t bin = at / width_ns_;
    const std::int64_t until = std::min(end, (bin + 1) * width_ns_);
    entries_.push_back({static_cast<std::uint32_t>(bin), of, begun, sign * (until - at)});
    begun = 0;
    at = until;
  } while (at < end);
  constexpr std::size_t slack = 1024;
  if (entries_.size() > 2 * settled_ + slack) settle();
}

void ClassTimes::settle() {
  std::ranges::sort(entries_, {}, place_of);
  std::size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (kept > 0 && place_of(entries_[kept - 1]) == place_of(entry)) {
      entries_[kept - 1].begun += entry.begun;
      entries_[kept - 1].ns += entry.ns;
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
  settled_ = kept;
}

void ClassTimes::coarsen() {
  width_ns_ *= 2;
  for (Entry& entry : entries_) entry.bin /= 2;
  settle();
}

std::span<const ClassTimes::Entry> ClassTimes::entries(std::int64_t first, std::int64_t last) const {
  const auto before = [](const Entry& entry, std::int64_t bin) { return entry.bin < bin; };
  const auto from = std::lower_bound(entries_.begin(), entries_.end(), first, before);
  const auto to = std::lower_bound(from, entries_.end(), last, before);
  return {from, to};
}

}  // namespace eventspace::web
