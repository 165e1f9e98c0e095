#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monitors/tune/cost_model.h"

namespace eventspace::tune {

/// Two neighbouring slices of time, one without and one with pulls through a scope.
struct SlicePair {
  double rate{0};  ///< whole views a second, in the one with
  double slowdown{
      1};  ///< the application's progress a second in the one without, divided by that in the one with
};

/// What all pairs of one candidate say together.
struct Estimate {
  Figures figures;          ///< the medians
  double slowdown_low{1};   ///< the middle 95 % of the medians of what is drawn from the pairs at random,
  double slowdown_high{1};  ///< with replacement: about where the median is, as far as so few pairs can tell
  std::size_t pairs{0};
};

/// Of one pair or more; `seed` for the draws.
Estimate estimate(const std::vector<SlicePair>& pairs, std::uint64_t seed);

}  // namespace eventspace::tune
