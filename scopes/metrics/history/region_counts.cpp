#include "scopes/metrics/history/region_counts.h"

#include <algorithm>

#include "scopes/metrics/history/exact_sum.h"

namespace eventspace::metrics {

RegionCounts::Amounts* RegionCounts::amounts_of(const Key& key) {
  const auto known = counts_.find(key);
  if (known != counts_.end()) return &known->second;
  return counts_.size() < max_counts ? &counts_[key] : nullptr;
}

void RegionCounts::count(const Key& key, double amount, std::uint64_t events) {
  if (Amounts* const amounts = amounts_of(key))
    amounts->ended += amount;
  else
    left_out_ += events;
}

void RegionCounts::receive(const Key& key, double total) {
  if (Amounts* const amounts = amounts_of(key))
    amounts->ended = total;
  else
    ++left_out_;
}

void RegionCounts::add(std::uint32_t thread, const std::optional<Partner>& partner, const Stretch& when,
                       double amount) {
  if (const auto recent = recent_.find(thread); recent != recent_.end()) {
    for (const Region& region : recent->second) {
      if (region.when.is_around(when)) count({thread, partner, region.number}, amount, 1);
    }
  }
  if (waiting_.size() >= max_lists && !waiting_.contains({thread, partner})) {
    ++left_out_;
    return;
  }
  Line& line = waiting_[{thread, partner}];
  // Nearly always the last position.
  auto at = line.end();
  while (at != line.begin() && std::prev(at)->when.start > when.start) --at;
  line.insert(at, {when, amount});
  if (line.size() > max_waiting) shorten(line);
}

void RegionCounts::end(std::uint32_t thread, std::uint32_t region, const Stretch& when) {
  std::deque<Region>& recent = recent_[thread];
  recent.push_back({region, when});
  if (recent.size() > max_recent) recent.pop_front();
  const auto of_thread = waiting_.lower_bound({thread, std::nullopt});
  for (auto at = of_thread; at != waiting_.end() && at->first.first == thread; ++at)
    end_in(at->second, {thread, at->first.second, region}, when);
}

/// Joins the amounts inside into one, for the regions around this one.
void RegionCounts::end_in(Line& line, const Key& key, const Stretch& when) {
  const auto first =
      std::ranges::lower_bound(line, when.start, {}, [](const Waiting& each) { return each.when.start; });
  if (first != line.begin()) {
    const Waiting& before = *std::prev(first);
    if (before.is_joined && before.when.end > when.start) left_out_ += before.events;
  }
  Waiting inside{when, 0.0, 0, false};
  ExactSum amount;
  auto kept = first;
  for (auto at = first; at != line.end(); ++at) {
    if (!when.is_around(at->when)) {
      *kept++ = *at;
      continue;
    }
    amount.add(at->amount);
    inside.events += at->events;
  }
  line.erase(kept, line.end());
  if (inside.events == 0) return;
  inside.amount = amount.value();
  count(key, inside.amount, inside.events);
  const auto place =
      std::ranges::lower_bound(line, when.start, {}, [](const Waiting& each) { return each.when.start; });
  line.insert(place, inside);
}

/// Joins the older half in pairs, so that the newest ones, which most regions are around, stay as they are.
void RegionCounts::shorten(Line& line) {
  const std::size_t half = line.size() / 2;
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < half; i += 2) {
    const Waiting& a = line[i];
    const Waiting& b = line[i + 1];
    line[kept++] = {
        {a.when.start, std::max(a.when.end, b.when.end)}, a.amount + b.amount, a.events + b.events, true};
  }
  line.erase(line.begin() + static_cast<std::ptrdiff_t>(kept),
             line.begin() + static_cast<std::ptrdiff_t>(2 * kept));
}

void RegionCounts::begin_open(std::uint32_t thread) {
  const auto from = counts_.lower_bound({thread, std::nullopt, 0});
  for (auto at = from; at != counts_.end() && at->first.thread == thread; ++at) at->second.open = 0.0;
}

void RegionCounts::open(std::uint32_t thread, std::uint32_t region, std::uint64_t start, double own) {
  if (const auto recent = recent_.find(thread); recent != recent_.end()) {
    const auto is_this = [&](const Region& ended) {
      return ended.number == region && ended.when.start == start;
    };
    if (std::ranges::any_of(recent->second, is_this)) return;
  }
  const auto add_open = [this](const Key& key, double amount) {
    Amounts* const amounts = amount == 0.0 ? nullptr : amounts_of(key);
    if (amounts != nullptr) amounts->open += amount;
  };
  add_open({thread, std::nullopt, region}, own);
  const auto of_thread = waiting_.lower_bound({thread, std::nullopt});
  for (auto at = of_thread; at != waiting_.end() && at->first.first == thread; ++at) {
    ExactSum amount;
    for (auto each = at->second.rbegin(); each != at->second.rend() && each->when.start >= start; ++each)
      amount.add(each->amount);
    add_open({thread, at->first.second, region}, amount.value());
  }
}

RegionCounts::Amounts RegionCounts::sum(const std::vector<std::uint32_t>& threads,
                                        const std::vector<std::uint32_t>& regions,
                                        const std::set<Partner>* partners) const {
  ExactSum total;
  ExactSum until_last;
  for (const std::uint32_t thread : threads) {
    const auto from = counts_.lower_bound({thread, std::nullopt, 0});
    for (auto at = from; at != counts_.end() && at->first.thread == thread; ++at) {
      const auto& [key, amounts] = *at;
      const bool is_with = partners == nullptr || (key.partner && partners->contains(*key.partner));
      if (!is_with || std::ranges::find(regions, key.region) == regions.end()) continue;
      total.add(amounts.total());
      until_last.add(amounts.until_last);
    }
  }
  return {total.value(), 0.0, until_last.value()};
}

void RegionCounts::mark_read() {
  for (auto& [key, amounts] : counts_) amounts.until_last = amounts.total();
}

}  // namespace eventspace::metrics
