#include "monitors/moments/moment.h"

#include <algorithm>
#include <cmath>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

constexpr std::int64_t rounding = 2;  // ns: error from rounding both readings

bool are_of_one_node(const Moment& a, const Moment& b) noexcept {
  return a.on_node && b.on_node && a.on_node->node == b.on_node->node && a.on_node->jumps == b.on_node->jumps;
}

Difference between(const Moment::OnNode& a, const Moment::OnNode& b) noexcept {
  Difference difference = same_clock_sum(static_cast<double>(saturating::subtract(b.ns, a.ns)), 1);
  difference.error_ns = saturating::add(difference.error_ns, saturating::add(a.error_ns, b.error_ns));
  return difference;
}

}  // namespace

// A process with synchronised times no longer has the readings of its own clock, so `clock` stays unset.
Moment Moment::of(std::uint64_t ticks, const ProcessReport& process,
                  std::optional<std::uint32_t> node) noexcept {
  const BoundedTime time = process.here(ticks);
  Moment moment{time.ns, std::min(time.error_ns.value_or(unbounded), unbounded)};
  if (process.clock.source == ClockSource::synchronised) return moment;
  moment.clock = process.process;
  moment.own_ns = saturating::round(process.clock.ns_between(process.clock.ticks, ticks));
  if (node && moment.error_ns < unbounded) {  // unbounded: that clock has jumped since
    const BoundedTime there = process.on_node(ticks);
    moment.on_node = {*node, process.relation.jumps, there.ns, there.error_ns.value_or(unbounded)};
  }
  return moment;
}

std::int64_t Moment::earliest() const noexcept { return saturating::subtract(ns, error_ns); }
std::int64_t Moment::latest() const noexcept { return saturating::add(ns, error_ns); }

Difference same_clock_sum(double ns, std::uint64_t count) noexcept {
  const double error = std::abs(ns) * same_clock_ppm * 1e-6 + rounding * static_cast<double>(count);
  return {saturating::round(ns), saturating::round(std::ceil(error))};
}

Difference between(const Moment& a, const Moment& b) noexcept {
  const bool one_clock = a.clock == b.clock && a.clock != Moment::no_clock;
  if (!one_clock && are_of_one_node(a, b)) return between(*a.on_node, *b.on_node);
  if (!one_clock) return {saturating::subtract(b.ns, a.ns), saturating::add(a.error_ns, b.error_ns)};
  const std::int64_t ns = saturating::subtract(b.own_ns, a.own_ns);
  const double wrong = std::abs(static_cast<double>(ns)) * same_clock_ppm * 1e-6;
  return {ns, saturating::add(saturating::round(std::ceil(wrong)), rounding)};
}

bool are_of_one_clock(const std::vector<Moment>& moments) noexcept {
  return std::all_of(moments.begin(), moments.end(), [&](const Moment& moment) {
    return moment.clock != Moment::no_clock && moment.clock == moments.front().clock;
  });
}

void sort_by_time(std::vector<Moment>& moments) {
  const auto key = are_of_one_clock(moments) ? &Moment::own_ns : &Moment::ns;
  std::stable_sort(moments.begin(), moments.end(),
                   [key](const Moment& a, const Moment& b) { return a.*key < b.*key; });
}

}  // namespace eventspace
