#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace eventspace {

/// A summary of signed or real numbers of processes: the count, the sum, the least and the greatest, and the
/// processes that have these. Spreads of several machines can be merged in any order with the same result;
/// among equal numbers the name that sorts first is kept. Only the last digits of the sum depend on the
/// order, if it is not exact in a `double`.
struct NumberSpread {
  using Number = std::variant<std::int64_t, double>;

  std::uint64_t count{0};
  std::uint64_t missing{0};  ///< numbers that could not be calculated, and NaNs
  double sum{0};             ///< may be infinite for real numbers
  Number least{};            ///< this and the next three are set if count > 0
  Number greatest{};
  std::string least_at{};
  std::string greatest_at{};

  /// A NaN is counted as missing.
  void add(const Number& number, std::string_view process);
  /// Requires that no bound of `other` is a NaN.
  void merge(const NumberSpread& other);
  /// Mean of all numbers; 0 if there are none.
  [[nodiscard]] double mean() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }

  friend bool operator==(const NumberSpread&, const NumberSpread&) = default;
};

}  // namespace eventspace
