#pragma once

// Private to monitors/.

#include <optional>
#include <vector>

#include "monitors/tune/cost_model.h"

namespace eventspace::tune {

/// What is wanted of a scope: as fast as can be within a slowdown, or as little slowdown as can be at a rate.
/// At least one is given; with both, as fast as can be within both.
struct Goal {
  std::optional<double> max_slowdown;
  std::optional<double> min_rate;

  /// By how much it is missed, as a share; 0: it is met.
  [[nodiscard]] double missed_by(const Figures& figures) const noexcept;
  [[nodiscard]] bool meets(const Figures& figures) const noexcept { return missed_by(figures) <= 0; }
  /// Whether `a` serves it better than `b`; of those that miss it the nearer ones do.
  [[nodiscard]] bool prefers(const Figures& a, const Figures& b) const noexcept;
  /// By how much `a` is ahead of `b` in what is to be as great, or as small, as can be; 0.1: by a tenth.
  [[nodiscard]] double lead(const Figures& a, const Figures& b) const noexcept;
};

/// For each of `all` whether it is on the Pareto front: none is at least as fast with at most its slowdown,
/// and better in one of them.
std::vector<bool> pareto_front(const std::vector<Figures>& all);

}  // namespace eventspace::tune
