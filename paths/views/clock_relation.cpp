#include "paths/views/clock_relation.h"

#include <algorithm>
#include <cmath>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

constexpr double millionth = 1e-6;

std::int64_t part_of(std::int64_t distance, double ppm) noexcept {
  return saturating::round(static_cast<double>(distance) * ppm * millionth);
}

std::int64_t grown(std::int64_t error, std::int64_t distance, double ppm) noexcept {
  return saturating::add(error,
                         saturating::round(std::ceil(static_cast<double>(distance) * ppm * millionth)));
}

}  // namespace

ClockRelation ClockRelation::unknown() noexcept {
  ClockRelation relation;
  relation.known = false;
  return relation;
}

bool ClockRelation::is_same() const noexcept {
  return known && offset_ns == 0 && drift_ppm == 0 && error_ns == 0 && growth_ppm == 0;
}

BoundedTime ClockRelation::here(std::int64_t there) const noexcept {
  const std::int64_t drifted = part_of(saturating::subtract(there, reference_ns), drift_ppm);
  BoundedTime time{saturating::add(saturating::add(there, offset_ns), drifted), {}};
  if (known && there >= bounded_since_ns) time.error_ns = spread(there);
  return time;
}

std::int64_t ClockRelation::there(std::int64_t here) const noexcept {
  const std::int64_t since = saturating::subtract(saturating::subtract(here, offset_ns), reference_ns);
  const double elapsed = static_cast<double>(since) * (drift_ppm * millionth) / (1 + drift_ppm * millionth);
  return saturating::add(reference_ns, saturating::subtract(since, saturating::round(elapsed)));
}

// The bound at a time there, as drawn in the header; the caller checks bounded_since_ns.
std::int64_t ClockRelation::spread(std::int64_t there) const noexcept {
  const std::int64_t after = saturating::subtract(there, reference_ns);
  if (after >= 0) return grown(error_ns, after, growth_ppm);
  const std::int64_t from_reference = grown(error_ns, saturating::subtract(reference_ns, there), growth_ppm);
  const std::int64_t before = std::max<std::int64_t>(saturating::subtract(covered_since_ns, there), 0);
  return std::min(from_reference, grown(covered_error_ns, before, growth_ppm));
}

// The time on the clock in the middle is not exact: `onward` converts a time that is off by the first bound,
// and adds its own.
ClockRelation ClockRelation::then(const ClockRelation& onward) const noexcept {
  ClockRelation relation = is_same() ? onward : *this;
  relation.known = known && onward.known;
  relation.jumps = jumps + onward.jumps;
  if (!relation.known) return relation;
  const std::int64_t onward_since =
      onward.bounded_since_ns == always ? always : there(onward.bounded_since_ns);
  relation.bounded_since_ns = std::max(bounded_since_ns, onward_since);
  if (is_same() || onward.is_same()) return relation;

  const std::int64_t middle = here(reference_ns).ns;
  const double stretch_ppm = std::abs(onward.drift_ppm) + onward.growth_ppm;
  const auto carried = [&](std::int64_t error) {
    return saturating::add(grown(error, error, stretch_ppm), 2);  // rounding
  };
  const std::int64_t onward_error = onward.spread(middle);
  relation.offset_ns = saturating::subtract(onward.here(middle).ns, reference_ns);
  relation.drift_ppm = drift_ppm + onward.drift_ppm + drift_ppm * onward.drift_ppm * millionth;
  relation.growth_ppm =
      growth_ppm * (1 + stretch_ppm * millionth) + onward.growth_ppm * (1 + std::abs(drift_ppm) * millionth);
  relation.error_ns = saturating::add(carried(error_ns), onward_error);
  relation.covered_since_ns =
      std::min(std::max(covered_since_ns, there(onward.covered_since_ns)), reference_ns);
  relation.covered_error_ns =
      saturating::add(carried(covered_error_ns), std::max(onward.covered_error_ns, onward_error));
  return relation;
}

ClockRelation ClockRelation::of_times_here() const noexcept {
  ClockRelation relation = *this;
  if (is_same()) return relation;
  relation.reference_ns = here(reference_ns).ns;
  relation.covered_since_ns = here(covered_since_ns).ns;
  if (bounded_since_ns != always) relation.bounded_since_ns = here(bounded_since_ns).ns;
  relation.offset_ns = 0;
  relation.drift_ppm = 0;
  relation.growth_ppm = growth_ppm * (1 + 2 * std::abs(drift_ppm) * millionth);
  relation.error_ns = saturating::add(error_ns, 1);
  relation.covered_error_ns = saturating::add(covered_error_ns, 1);
  return relation;
}

// If all times were already converted (no offset, no drift), the larger bound holds for all of them.
// Otherwise the two relations convert by different estimates, and their bounds add up.
void ClockRelation::widen(const ClockRelation& other) noexcept {
  const bool at_that_place = offset_ns == 0 && other.offset_ns == 0 && drift_ppm == 0 && other.drift_ppm == 0;
  const auto both = [&](std::int64_t a, std::int64_t b) {
    return at_that_place ? std::max(a, b) : saturating::add(a, b);
  };
  const std::int64_t apart = saturating::subtract(std::max(reference_ns, other.reference_ns),
                                                  std::min(reference_ns, other.reference_ns));
  known = known && other.known;
  jumps = std::max(jumps, other.jumps);
  growth_ppm = at_that_place ? std::max(growth_ppm, other.growth_ppm) : growth_ppm + other.growth_ppm;
  error_ns = grown(both(error_ns, other.error_ns), apart, growth_ppm);
  covered_since_ns = std::max(covered_since_ns, other.covered_since_ns);
  covered_error_ns = std::max(both(covered_error_ns, other.covered_error_ns), error_ns);
  bounded_since_ns = std::max(bounded_since_ns, other.bounded_since_ns);
}

}  // namespace eventspace
