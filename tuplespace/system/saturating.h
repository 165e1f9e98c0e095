#pragma once

// Private to tuplespace/.

#include <cmath>
#include <cstdint>
#include <limits>

// Sums of times from outside, which may be anything: they end at the limits of their type.

namespace eventspace::saturating {

inline std::int64_t add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

inline std::int64_t subtract(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b > 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

/// The nearest whole number; what is none counts as 0.
inline std::int64_t round(double value) noexcept {
  constexpr double limit = 9.2e18;
  if (std::isnan(value)) return 0;
  if (value >= limit) return std::numeric_limits<std::int64_t>::max();
  if (value <= -limit) return std::numeric_limits<std::int64_t>::min();
  return std::llround(value);
}

}  // namespace eventspace::saturating
