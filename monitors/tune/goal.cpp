#include "monitors/tune/goal.h"

#include <algorithm>

namespace eventspace::tune {
namespace {

// The share of its progress that the application loses. The constant keeps ratios of slowdowns near 1 small.
double lost_share(const Figures& figures) { return std::max(0.0, figures.slowdown - 1) + 0.01; }

}  // namespace

double Goal::missed_by(const Figures& figures) const noexcept {
  double missed = 0;
  if (max_slowdown) missed += std::max(0.0, figures.slowdown / *max_slowdown - 1);
  if (min_rate) missed += figures.rate > 0 ? std::max(0.0, *min_rate / figures.rate - 1) : 1e9;
  return missed;
}

double Goal::lead(const Figures& a, const Figures& b) const noexcept {
  if (max_slowdown) return b.rate > 0 ? a.rate / b.rate - 1 : 1e9;
  return lost_share(b) / lost_share(a) - 1;
}

bool Goal::prefers(const Figures& a, const Figures& b) const noexcept {
  const double missed_a = missed_by(a);
  const double missed_b = missed_by(b);
  if (missed_a > 0 || missed_b > 0) return missed_a < missed_b;
  const double ahead = lead(a, b);
  if (ahead != 0) return ahead > 0;
  return a.rate > b.rate || (a.rate == b.rate && a.slowdown < b.slowdown);
}

std::vector<bool> pareto_front(const std::vector<Figures>& all) {
  const auto beaten = [&](const Figures& one) {
    return std::any_of(all.begin(), all.end(), [&](const Figures& other) {
      return other.rate >= one.rate && other.slowdown <= one.slowdown &&
             (other.rate > one.rate || other.slowdown < one.slowdown);
    });
  };
  std::vector<bool> front;
  front.reserve(all.size());
  for (const Figures& one : all) front.push_back(!beaten(one));
  return front;
}

}  // namespace eventspace::tune
