#include "monitors/profile/thread_regions.h"

#include <algorithm>

namespace eventspace {

// Assigns the waiting calls within the region. Regions inside it have ended before and taken their calls.
void ThreadRegions::end(std::uint32_t name, std::uint64_t start, std::uint64_t end, const Found& found) {
  count(name, start, end);
  for (auto call = waiting_.lower_bound(start); call != waiting_.end() && call->first <= end;) {
    if (call->second.end > end) {
      ++call;
      continue;
    }
    found(call->second, name);
    call = waiting_.erase(call);
  }
  recent_.push_back({name, start, end});
  if (recent_.size() > max_recent) recent_.pop_front();
  if (open_ && open_->start == start && open_->name == name) open_.reset();
}

void ThreadRegions::count(std::uint32_t name, std::uint64_t start, std::uint64_t end) {
  const std::uint64_t whole = end > start ? end - start : 0;
  std::uint64_t covered = 0;
  while (!uncovered_.empty() && uncovered_.back().start >= start) {
    covered += uncovered_.back().ticks;
    uncovered_.pop_back();
  }
  inside_[name] += whole - std::min(whole, covered);
  if (uncovered_.size() == max_uncovered) {  // merge two: a region around both begins before both
    uncovered_[0].ticks += uncovered_[1].ticks;
    uncovered_.erase(uncovered_.begin() + 1);
  }
  uncovered_.push_back({start, whole});
}

// Among the regions around a call, the one that ends first is the innermost.
const ThreadRegions::Region* ThreadRegions::around(const PhasedCall& call) const {
  auto region = std::ranges::lower_bound(recent_, call.end, {}, &Region::end);
  while (region != recent_.end() && region->start > call.start) ++region;
  return region == recent_.end() ? nullptr : &*region;
}

void ThreadRegions::add(const PhasedCall& call, const Found& found) {
  if (const Region* const region = around(call)) return found(call, region->name);
  if (!any()) return found(call, std::nullopt);
  if (waiting_.size() == max_waiting) {
    ++left_out_;
    found(waiting_.begin()->second, std::nullopt);
    waiting_.erase(waiting_.begin());
  }
  waiting_.emplace(call.start, call);
}

void ThreadRegions::settle(std::uint64_t last, const Found& found) {
  const std::optional<Region> open = open_;
  if (open) end(open->name, open->start, std::max(last, open->start), found);
  for (const auto& [start, call] : waiting_) found(call, std::nullopt);
  waiting_.clear();
}

}  // namespace eventspace
