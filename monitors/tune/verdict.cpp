#include "monitors/tune/verdict.h"

#include <algorithm>
#include <cmath>

namespace eventspace::tune {

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::meets:
      return "meets";
    case Verdict::misses:
      return "misses";
    case Verdict::inconclusive:
      break;
  }
  return "inconclusive";
}

std::string_view to_string(Doubt doubt) noexcept {
  switch (doubt) {
    case Doubt::none:
      break;
    case Doubt::few_pairs:
      return "too few pairs";
    case Doubt::faster:
      return "faster while watched";
    case Doubt::around_limit:
      return "the limit is within the interval";
    case Doubt::wide:
      return "the interval is wider than the limit allows";
  }
  return "";
}

Doubt doubt_on(const Goal& goal, const Estimate& estimate) noexcept {
  if (goal.min_rate && estimate.figures.rate < *goal.min_rate) return Doubt::none;
  if (estimate.pairs < min_pairs) return Doubt::few_pairs;
  if (estimate.slowdown_high < 1) return Doubt::faster;
  if (!goal.max_slowdown || estimate.slowdown_low > *goal.max_slowdown) return Doubt::none;
  if (estimate.slowdown_high > *goal.max_slowdown) return Doubt::around_limit;
  return estimate.slowdown_high - estimate.slowdown_low > *goal.max_slowdown - 1 ? Doubt::wide : Doubt::none;
}

Verdict verdict_on(const Goal& goal, const Estimate& estimate) noexcept {
  if (doubt_on(goal, estimate) != Doubt::none) return Verdict::inconclusive;
  const bool too_slow = goal.max_slowdown && estimate.slowdown_low > *goal.max_slowdown;
  const bool too_rare = goal.min_rate && estimate.figures.rate < *goal.min_rate;
  return too_slow || too_rare ? Verdict::misses : Verdict::meets;
}

namespace {

// How many times narrower the interval has to be; infinite if no number of pairs makes it so.
double times_too_wide(const Goal& goal, const Estimate& estimate, Doubt doubt) noexcept {
  const double slowdown = estimate.figures.slowdown;
  const double limit = *goal.max_slowdown;
  if (doubt == Doubt::wide) return (estimate.slowdown_high - estimate.slowdown_low) / (limit - 1);
  const double half_width =
      slowdown <= limit ? estimate.slowdown_high - slowdown : slowdown - estimate.slowdown_low;
  return half_width / std::abs(limit - slowdown);
}

}  // namespace

std::optional<std::size_t> pairs_needed(const Goal& goal, const Estimate& estimate) noexcept {
  const Doubt doubt = doubt_on(goal, estimate);
  if (doubt == Doubt::none || doubt == Doubt::faster) return std::nullopt;
  if (doubt == Doubt::few_pairs) return min_pairs;
  const double times = times_too_wide(goal, estimate, doubt);
  const double needed = std::ceil(static_cast<double>(estimate.pairs) * times * times);
  if (!(needed <= static_cast<double>(max_pairs))) return std::nullopt;
  return std::max(2 * estimate.pairs, static_cast<std::size_t>(needed));
}

}  // namespace eventspace::tune
