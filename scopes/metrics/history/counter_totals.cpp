#include "scopes/metrics/history/counter_totals.h"

#include <algorithm>

#include "scopes/metrics/history/exact_sum.h"

namespace eventspace::metrics {
namespace {

double sum_of(const std::vector<double>& values, const std::vector<std::uint32_t>& threads) {
  ExactSum total;
  for (const std::uint32_t thread : threads) total.add(thread < values.size() ? values[thread] : 0.0);
  return total.value();
}

}  // namespace

void CounterTotals::add(std::uint32_t thread, const Partner& partner, double amount) {
  const std::pair key(thread, partner);
  if (of_partners_.size() >= max_partner_sums && !of_partners_.contains(key))
    ++left_out_;
  else
    of_partners_[key].total += amount;
}

void CounterTotals::receive(const Count& count) {
  if (count.region)
    regions_.receive({count.thread, count.partner, *count.region}, count.total);
  else if (count.partner &&
           (of_partners_.size() < max_partner_sums || of_partners_.contains({count.thread, *count.partner})))
    of_partners_[{count.thread, *count.partner}].total = count.total;
  else if (count.partner)
    ++left_out_;
  else
    of(count.thread) = count.total;
}

std::vector<CounterTotals::Count> CounterTotals::changed() const {
  std::vector<Count> all;
  for (std::uint32_t thread = 0; thread < totals_.size(); ++thread) {
    const double before = thread < last_.size() ? last_[thread] : 0.0;
    if (totals_[thread] != before) all.push_back({thread, std::nullopt, totals_[thread]});
  }
  for (const auto& [key, amounts] : regions_.all()) {
    if (amounts.total() != amounts.until_last)
      all.push_back({key.thread, key.partner, amounts.total(), key.region});
  }
  for (const auto& [of, sums] : of_partners_) {
    if (sums.total != sums.until_last) all.push_back({of.first, of.second, sums.total});
  }
  return all;
}

double CounterTotals::total(const std::vector<std::uint32_t>& threads) const {
  return sum_of(totals_, threads);
}

double CounterTotals::since_last(const std::vector<std::uint32_t>& threads) const {
  return sum_of(totals_, threads) - sum_of(last_, threads);
}

double CounterTotals::since_last(std::uint32_t thread) const {
  return (thread < totals_.size() ? totals_[thread] : 0.0) - (thread < last_.size() ? last_[thread] : 0.0);
}

CounterTotals::Sums CounterTotals::sums(const Over& over) const {
  if (over.regions != nullptr) {
    const auto amounts = regions_.sum(over.threads, *over.regions, over.partners);
    return {amounts.total(), amounts.until_last};
  }
  ExactSum total;
  ExactSum until_last;
  for (const std::uint32_t thread : over.threads) {
    for (auto at = of_partners_.lower_bound({thread, Partner{}});
         at != of_partners_.end() && at->first.first == thread; ++at) {
      if (!over.partners->contains(at->first.second)) continue;
      total.add(at->second.total);
      until_last.add(at->second.until_last);
    }
  }
  return {total.value(), until_last.value()};
}

void CounterTotals::mark_read(std::int64_t last_ns) {
  std::map<std::uint32_t, std::int64_t> held;
  for (const auto& [thread, since_ns] : in_flight_) {
    if (since_ns > last_ns || since_last(thread) != 0.0) continue;
    const auto before = held_since_.find(thread);
    held[thread] = before == held_since_.end() ? last_ns : before->second;
  }
  held_since_ = std::move(held);
  last_ = totals_;
  for (auto& [of, sums] : of_partners_) sums.until_last = sums.total;
  regions_.mark_read();
}

void CounterTotals::note_in_flight(std::uint32_t thread, std::int64_t since_ns) {
  const auto [known, is_new] = in_flight_.try_emplace(thread, since_ns);
  if (!is_new) known->second = std::min(known->second, since_ns);
}

bool CounterTotals::is_held(const std::vector<std::uint32_t>& threads, std::int64_t last_ns) const {
  if (in_flight_.empty()) return false;
  const auto was_in_flight = [&](std::uint32_t thread) {
    const auto known = in_flight_.find(thread);
    return known != in_flight_.end() && known->second <= last_ns;
  };
  return std::ranges::any_of(threads, was_in_flight) &&
         std::ranges::all_of(threads, [this](std::uint32_t thread) { return since_last(thread) == 0.0; });
}

std::int64_t CounterTotals::counted_from(const std::vector<std::uint32_t>& threads,
                                         std::int64_t last_ns) const {
  std::int64_t from = last_ns;
  if (held_since_.empty()) return from;
  for (const std::uint32_t thread : threads) {
    const auto held = held_since_.find(thread);
    if (held != held_since_.end() && since_last(thread) != 0.0) from = std::min(from, held->second);
  }
  return from;
}

}  // namespace eventspace::metrics
