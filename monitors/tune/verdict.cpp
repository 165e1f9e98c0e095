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

Verdict verdict_on(const Goal& goal, const Estimate& estimate) noexcept {
  if (goal.min_rate && estimate.figures.rate < *goal.min_rate) return Verdict::misses;
  if (!goal.max_slowdown) return Verdict::meets;
  if (estimate.pairs < 2) return Verdict::inconclusive;  // its interval is a point, and says nothing
  if (estimate.slowdown_low > *goal.max_slowdown) return Verdict::misses;
  return estimate.slowdown_high <= *goal.max_slowdown ? Verdict::meets : Verdict::inconclusive;
}

std::optional<std::size_t> pairs_needed(const Goal& goal, const Estimate& estimate) noexcept {
  if (verdict_on(goal, estimate) != Verdict::inconclusive) return std::nullopt;
  const std::size_t least = 2 * estimate.pairs;
  if (estimate.pairs < 2) return std::max<std::size_t>(least, 3);
  const double slowdown = estimate.figures.slowdown;
  const double distance = std::abs(*goal.max_slowdown - slowdown);
  const double half_width =
      slowdown <= *goal.max_slowdown ? estimate.slowdown_high - slowdown : slowdown - estimate.slowdown_low;
  if (!(distance > 0)) return std::nullopt;
  const double times = half_width / distance;
  const double needed = std::ceil(static_cast<double>(estimate.pairs) * times * times);
  if (!(needed <= static_cast<double>(most_pairs))) return std::nullopt;
  return std::max(least, static_cast<std::size_t>(needed));
}

}  // namespace eventspace::tune
