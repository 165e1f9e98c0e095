#pragma once

// Private to monitors/.

#include <cstddef>
#include <optional>
#include <string_view>

#include "monitors/tune/goal.h"
#include "monitors/tune/paired_slices.h"

namespace eventspace::tune {

/// What measurements of a tree say about a goal.
enum class Verdict : std::uint8_t {
  meets,        ///< the rate is high enough, and the whole interval of the slowdown is within the limit
  misses,       ///< the rate is too low, or the whole interval of the slowdown is above the limit
  inconclusive  ///< the interval of the slowdown contains the limit, or comes from a single pair
};
std::string_view to_string(Verdict verdict) noexcept;

/// Pure.
Verdict verdict_on(const Goal& goal, const Estimate& estimate) noexcept;

/// For an inconclusive estimate: about how many pairs of this tree, with those that it has, make an interval
/// that excludes the limit, if its figures and its spread stay as they are. An interval of a median shrinks
/// with the square root of the number of pairs. At least twice those that it has; nothing if it takes more
/// than most_pairs, since the slowdown is then the limit as far as can be measured, and nothing for a
/// conclusive estimate. Pure.
std::optional<std::size_t> pairs_needed(const Goal& goal, const Estimate& estimate) noexcept;
inline constexpr std::size_t most_pairs = 100'000;

}  // namespace eventspace::tune
