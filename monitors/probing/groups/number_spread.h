#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace eventspace {

/// Numbers of processes, which have a sign and may be real: how many there are, their sum, the least and the
/// greatest, and which processes have these. Those of several machines are merged in any order, with the same
/// result; of equal ones the name that sorts first is kept. Only the last digits of the sum depend on the
/// order, where it is not exact in a `double`.
struct NumberSpread {
  using Number = std::variant<std::int64_t, double>;

  std::uint64_t count{0};
  std::uint64_t missing{0};  ///< those that could not be calculated, or are not a number
  double sum{0};             ///< of real numbers it may be infinite
  Number least{};            ///< these four only if there are any
  Number greatest{};
  std::string least_at{};
  std::string greatest_at{};

  /// A real one that is not a number (NaN) is missing.
  void add(const Number& number, std::string_view process);
  /// Requires that no bound of `other` is a NaN.
  void merge(const NumberSpread& other);
  /// Of all numbers; 0 if there is none.
  [[nodiscard]] double mean() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }

  friend bool operator==(const NumberSpread&, const NumberSpread&) = default;
};

}  // namespace eventspace
