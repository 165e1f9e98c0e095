#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "monitors/tune/goal.h"
#include "monitors/tune/paired_slices.h"

namespace eventspace::tune {

/// The conclusion of a tree's measurements about a goal.
enum class Verdict : std::uint8_t {
  meets,        ///< the rate is high enough, and the whole interval of the slowdown is within the limit
  misses,       ///< the rate is too low, or the whole interval of the slowdown is above the limit
  inconclusive  ///< the measurements do not decide; see Doubt
};
std::string_view to_string(Verdict verdict) noexcept;

/// Why measurements of a tree do not show whether it meets a goal. A rate that is too low is never in doubt.
enum class Doubt : std::uint8_t {
  none,
  few_pairs,  ///< fewer than min_pairs: their interval can be narrow by chance
  faster,     ///< the whole interval is below 1: pulls do not make an application faster, so something else
              ///< changed its speed, and the figure is not the cost of the pulls
  around_limit,  ///< the interval contains the limit
  wide           ///< the interval is within the limit, but wider than the limit's distance from 1: noise as
                 ///< large as the measured effect
};
/// In words for tables, such as "too few pairs"; empty for none.
std::string_view to_string(Doubt doubt) noexcept;

/// As in bench/pairs.py.
inline constexpr std::size_t min_pairs = 5;

/// Pure.
Doubt doubt_on(const Goal& goal, const Estimate& estimate) noexcept;

/// Pure.
Verdict verdict_on(const Goal& goal, const Estimate& estimate) noexcept;

/// For an inconclusive estimate: the approximate total number of pairs of this tree that removes the doubt,
/// if its figures and spread stay the same. The interval of a median shrinks with the square root of the
/// number of pairs. At least twice the existing pairs, or min_pairs. Nullopt if more than max_pairs are
/// needed, because the slowdown then equals the limit as far as can be measured; nullopt if the application
/// was faster while watched, because no number of pairs helps if that stays so; and nullopt for a conclusive
/// estimate. Pure.
std::optional<std::size_t> pairs_needed(const Goal& goal, const Estimate& estimate) noexcept;
inline constexpr std::size_t max_pairs = 100'000;

}  // namespace eventspace::tune
