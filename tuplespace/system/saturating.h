#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

// Arithmetic on times from untrusted sources, which may have any value: results that do not fit end at the
// limits of their type.

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

/// Returns the nearest whole number; 0 for a NaN.
inline std::int64_t round(double value) noexcept {
  constexpr double limit = 9.2e18;
  if (std::isnan(value)) return 0;
  if (value >= limit) return std::numeric_limits<std::int64_t>::max();
  if (value <= -limit) return std::numeric_limits<std::int64_t>::min();
  return std::llround(value);
}

}  // namespace eventspace::saturating
