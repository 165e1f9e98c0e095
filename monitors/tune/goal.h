#pragma once

#include <optional>
#include <vector>

#include "monitors/tune/cost_model.h"

namespace eventspace::tune {

/// The goal of tuning: the highest rate within a slowdown, or the smallest slowdown at a rate. At least one
/// bound is given; with both, the goal is the highest rate within both. Pure.
struct Goal {
  std::optional<double> max_slowdown;
  std::optional<double> min_rate;

  /// The relative distance of `figures` from the goal; 0 when they meet it.
  [[nodiscard]] double missed_by(const Figures& figures) const noexcept;
  [[nodiscard]] bool meets(const Figures& figures) const noexcept { return missed_by(figures) <= 0; }
  /// Whether `a` is better than `b`. If both miss the goal, the smaller distance is better.
  [[nodiscard]] bool prefers(const Figures& a, const Figures& b) const noexcept;
  /// The relative advantage of `a` over `b` in the rate or slowdown that the goal optimises; 0.1 is a tenth.
  [[nodiscard]] double lead(const Figures& a, const Figures& b) const noexcept;
};

/// For each of `all`, whether it is on the Pareto front: no other is at least as good in rate and slowdown,
/// and better in one of them.
std::vector<bool> pareto_front(const std::vector<Figures>& all);

}  // namespace eventspace::tune
