#pragma once

// Private to monitors/.

#include <optional>
#include <string>
#include <vector>

#include "monitors/tune/goal.h"
#include "monitors/tune/paired_slices.h"

namespace eventspace::tune {

/// A scope that was tried, as reports tell of it.
struct Tried {
  std::string words;  ///< its tree
  std::optional<Estimate> measured;
  std::optional<Figures> predicted;  ///< before it was measured
  std::string unusable;              ///< why it has no figures; empty: it has
  bool given{false};                 ///< the scope as the pathmap has it
};

/// What came of tuning a scope.
struct Outcome {
  std::string scope;
  Goal goal;
  std::vector<Tried> tried;         ///< in the order in which they were measured first
  std::optional<std::size_t> best;  ///< of these: what serves the goal best, met or not
  std::size_t candidates{0};
  std::size_t left_out{0};  ///< candidates beyond the bound
  std::string ended_early;  ///< why not all was measured that should be; empty: it was
  std::optional<CostModel> model;

  [[nodiscard]] bool met() const { return best && goal.meets(tried[*best].measured->figures); }
};

}  // namespace eventspace::tune
