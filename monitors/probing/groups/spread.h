#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/probing/groups/number_spread.h"

namespace eventspace {

/// The sum, or the greatest number if it overflows. Pure.
std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept;

/// A summary of a quantity over processes: the sum, and the processes that have the least and the most.
/// Spreads of several machines can be merged in any order with the same result; among equal ones the name
/// that sorts first is kept.
struct Spread {
  std::uint64_t count{0};  ///< of the processes
  std::uint64_t sum{0};    ///< saturated
  std::uint64_t least{0};
  std::uint64_t greatest{0};
  std::string least_at{};
  std::string greatest_at{};

  void add(std::uint64_t value, std::string_view process);
  void merge(const Spread& other);
  [[nodiscard]] double mean() const noexcept {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
  /// By how much the greatest exceeds the mean, as a share of the greatest: the share of the time of all
  /// processes that a perfect balance would save. 0 without processes.
  [[nodiscard]] double imbalance() const noexcept {
    return greatest == 0 ? 0 : 1.0 - mean() / static_cast<double>(greatest);
  }

  friend bool operator==(const Spread&, const Spread&) = default;
};

/// The counts and measurements of a function in the processes that have a probe there.
struct FunctionSpread {
  std::string module{};
  std::string function{};
  Spread calls{};
  Spread total_ns{};                   ///< from entry to exit; empty if only calls are counted
  Spread own_ns{};                     ///< without measured callees
  std::uint64_t left_out{0};           ///< calls excluded by the condition and the like, in all processes
  std::vector<NumberSpread> values{};  ///< of the included calls, in the order of the task
  /// Calls by duration (histogram_range()); empty if not requested.
  std::vector<std::uint64_t> histogram{};

  /// `other` must be of the same function.
  void merge(const FunctionSpread& other);

  friend bool operator==(const FunctionSpread&, const FunctionSpread&) = default;
};

}  // namespace eventspace
