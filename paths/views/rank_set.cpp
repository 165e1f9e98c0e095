#include <eventspace/rank_set.h>

#include <algorithm>

#include "paths/views/rank_items.h"

namespace eventspace {
namespace {

using Rank = RankSet::Rank;
using Range = RankSet::Range;

// The longest run of evenly spaced single ranks from `from` on; three of them are shorter as one item.
RankItem item_from(std::span<const Range> ranges, std::size_t from) {
  const Range& first = ranges[from];
  if (first.first != first.last) return {first.first, first.last, 1};
  RankItem item{first.first, first.first, 1};
  for (std::size_t i = from + 1; i < ranges.size() && ranges[i].first == ranges[i].last; ++i) {
    const Rank step = ranges[i].first - item.last;
    if (i > from + 1 && step != item.step) break;
    item = {item.first, ranges[i].first, step};
  }
  return item.ranks() >= 3 ? item : RankItem{first.first, first.first, 1};
}

}  // namespace

RankSet RankSet::of_range(Rank first, Rank last) {
  RankSet set;
  if (first <= last) set.add({first, last});
  return set;
}

RankSet RankSet::of(std::span<const Rank> ranks) {
  std::vector<Rank> sorted(ranks.begin(), ranks.end());
  std::ranges::sort(sorted);
  RankSet set;
  for (const Rank rank : sorted) set.add(rank);
  return set;
}

std::optional<RankSet> RankSet::parse(std::string_view text) {
  const auto items = parse_rank_items(text);
  if (!items) return std::nullopt;
  std::vector<Range> found;
  for (const RankItem& item : *items) {
    if (found.size() + (item.step == 1 ? 1 : item.ranks()) > max_ranges) return std::nullopt;
    if (item.step == 1) found.push_back({item.first, item.last});
    for (std::size_t i = 0; item.step != 1 && i < item.ranks(); ++i) {
      const Rank rank = item.first + static_cast<Rank>(i) * item.step;
      found.push_back({rank, rank});
    }
  }
  RankSet set;
  std::ranges::sort(found, {}, &Range::first);
  for (const Range& range : found) set.add(range);
  return set;
}

void RankSet::add(Range range) {
  // The ranges from `begin` to `end` touch the new one.
  const auto touches_not = [&](const Range& other) { return other.last + 1 < range.first; };
  auto begin = ranges_.end();
  if (!ranges_.empty() && !touches_not(ranges_.back()))
    begin = std::ranges::partition_point(ranges_, touches_not);
  auto end = begin;
  while (end != ranges_.end() && end->first <= range.last + 1) {
    range = {std::min(range.first, end->first), std::max(range.last, end->last)};
    ++end;
  }
  if (begin == end) {
    ranges_.insert(begin, range);
  } else {
    *begin = range;
    ranges_.erase(begin + 1, end);
  }
}

bool RankSet::contains(Rank rank) const noexcept {
  const auto range =
      std::ranges::partition_point(ranges_, [&](const Range& other) { return other.last < rank; });
  return range != ranges_.end() && range->first <= rank;
}

std::size_t RankSet::size() const noexcept {
  std::size_t ranks = 0;
  for (const Range& range : ranges_) ranks += range.last - range.first + std::size_t{1};
  return ranks;
}

std::optional<Rank> RankSet::at(std::size_t place) const noexcept {
  for (const Range& range : ranges_) {
    const std::size_t ranks = range.last - range.first + std::size_t{1};
    if (place < ranks) return range.first + static_cast<Rank>(place);
    place -= ranks;
  }
  return std::nullopt;
}

std::vector<Rank> RankSet::ranks() const {
  std::vector<Rank> all;
  all.reserve(size());
  for (const Range& range : ranges_) {
    for (Rank rank = range.first; rank <= range.last; ++rank) all.push_back(rank);
  }
  return all;
}

std::string RankSet::to_text(std::size_t longest) const {
  std::vector<RankItem> items;
  for (std::size_t i = 0; i < ranges_.size(); i += items.back().step == 1 ? 1 : items.back().ranks())
    items.push_back(item_from(ranges_, i));
  return eventspace::to_text(items, longest);
}

RankSet operator|(const RankSet& a, const RankSet& b) {
  std::vector<Range> all(a.ranges_);
  all.insert(all.end(), b.ranges_.begin(), b.ranges_.end());
  std::ranges::sort(all, {}, &Range::first);
  RankSet set;
  for (const Range& range : all) set.add(range);
  return set;
}

RankSet operator&(const RankSet& a, const RankSet& b) {
  RankSet set;
  for (auto x = a.ranges_.begin(), y = b.ranges_.begin(); x != a.ranges_.end() && y != b.ranges_.end();) {
    const Range both{std::max(x->first, y->first), std::min(x->last, y->last)};
    if (both.first <= both.last) set.add(both);
    x->last < y->last ? ++x : ++y;
  }
  return set;
}

RankSet operator-(const RankSet& a, const RankSet& b) {
  RankSet set;
  auto without = b.ranges_.begin();
  for (const Range& range : a.ranges_) {
    Rank next = range.first;  // the first rank that is not decided yet
    while (without != b.ranges_.end() && without->last < next) ++without;
    for (auto hole = without; hole != b.ranges_.end() && hole->first <= range.last; ++hole) {
      if (next < hole->first) set.add({next, hole->first - 1});
      next = hole->last + 1;
    }
    if (next <= range.last) set.add({next, range.last});
  }
  return set;
}

}  // namespace eventspace
