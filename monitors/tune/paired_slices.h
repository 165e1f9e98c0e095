#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monitors/tune/cost_model.h"

namespace eventspace::tune {

/// Measurements of two neighbouring slices of time, one without and one with pulls through a scope.
struct SlicePair {
  double rate{0};      ///< complete views per second in the slice with pulls
  double slowdown{1};  ///< progress per second without pulls, divided by progress with pulls
};

/// The estimate from all pairs of one candidate.
struct Estimate {
  Figures figures;          ///< the medians
  double slowdown_low{1};   ///< 95 % interval of the median by bootstrap: the middle 95 % of the medians of
  double slowdown_high{1};  ///< samples drawn from the pairs at random with replacement
  std::size_t pairs{0};
};

/// Needs at least one pair. `seed` is for the random draws. Pure.
Estimate estimate(const std::vector<SlicePair>& pairs, std::uint64_t seed);

}  // namespace eventspace::tune
