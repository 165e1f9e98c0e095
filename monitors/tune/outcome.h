#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/tune/goal.h"
#include "monitors/tune/paired_slices.h"
#include "monitors/tune/verdict.h"
#include "tuplespace/processes/priority.h"

namespace eventspace::tune {

/// A scope that was tried with a priority, for reports.
struct Tried {
  std::string words;  ///< a description of its tree
  std::optional<Estimate> measured;
  std::optional<Figures> predicted;  ///< the prediction before it was measured
  std::string unusable;              ///< why it could not be measured; empty if it could
  bool given{false};                 ///< whether it is the scope of the pathmap
  Priority priority{Priority::low};  ///< of the consumer that pulled through it
};

/// The outcome of tuning a scope.
struct Outcome {
  std::string scope;
  Goal goal;
  std::vector<Tried> tried;         ///< in the order of their first measurement
  std::optional<std::size_t> best;  ///< index into `tried` of the best, whether or not it meets the goal
  std::size_t candidates{0};        ///< trees
  std::size_t left_out{0};          ///< candidates beyond the bound
  std::string ended_early;          ///< why the search ended before it was complete; empty if complete
  std::optional<CostModel> model;
  std::chrono::nanoseconds slice{};  ///< a pair has two slices

  /// The number of trees in `tried`.
  [[nodiscard]] std::size_t trees_tried() const {
    std::set<std::string_view> trees;
    for (const Tried& one : tried) trees.insert(one.words);
    return trees.size();
  }
  /// The verdict on the best tree; `misses` if there is no best.
  [[nodiscard]] Verdict verdict() const {
    return best ? verdict_on(goal, *tried[*best].measured) : Verdict::misses;
  }
  /// Why the verdict is inconclusive; otherwise `none`.
  [[nodiscard]] Doubt doubt() const { return best ? doubt_on(goal, *tried[*best].measured) : Doubt::none; }
  /// Estimated remaining measuring time of `tree` (pairs_needed()); nullopt if it is conclusive, or if no
  /// time would suffice.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> time_needed(const Tried& tree) const {
    const auto pairs = tree.measured ? pairs_needed(goal, *tree.measured) : std::nullopt;
    if (!pairs) return std::nullopt;
    return 2 * static_cast<std::int64_t>(*pairs - tree.measured->pairs) * slice;
  }
};

}  // namespace eventspace::tune
