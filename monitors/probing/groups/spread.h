#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/probing/groups/number_spread.h"

namespace eventspace {

/// The greatest number if the sum is more. Pure.
std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept;

/// A quantity over processes: what they have together, and which of them have least and most. Spreads of
/// several machines are merged in any order, with the same result; of equal ones the name that sorts first is
/// kept.
struct Spread {
  std::uint64_t count{0};  ///< of the processes
  std::uint64_t sum{0};    ///< the greatest number if there is more
  std::uint64_t least{0};
  std::uint64_t greatest{0};
  std::string least_at{};
  std::string greatest_at{};

  void add(std::uint64_t value, std::string_view process);
  void merge(const Spread& other);
  [[nodiscard]] double mean() const noexcept {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
  /// By how much the greatest exceeds the mean, as a share of the greatest: the part of the time of all
  /// processes that would be won if it were balanced. 0 if there is none.
  [[nodiscard]] double imbalance() const noexcept {
    return greatest == 0 ? 0 : 1.0 - mean() / static_cast<double>(greatest);
  }

  friend bool operator==(const Spread&, const Spread&) = default;
};

/// What was counted and measured of a function in the processes that have a probe there.
struct FunctionSpread {
  std::string module{};
  std::string function{};
  Spread calls{};
  Spread total_ns{};          ///< from entry to exit; empty if only calls are counted
  Spread own_ns{};            ///< without the measured calls inside
  std::uint64_t left_out{0};  ///< calls that do not count, by the condition and the like, of all processes
  std::vector<NumberSpread> values{};  ///< of the calls that count, in the order of the task
  /// Calls by their times (histogram_range()); empty if it is not asked for.
  std::vector<std::uint64_t> histogram{};

  /// Of the same function.
  void merge(const FunctionSpread& other);

  friend bool operator==(const FunctionSpread&, const FunctionSpread&) = default;
};

}  // namespace eventspace
