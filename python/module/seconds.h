#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include <eventspace/deadline.h>

namespace eventspace::python {

/// Times in Python are seconds, as floats. Those that the clock cannot count are the longest that it can.
inline std::chrono::nanoseconds of_seconds(double seconds) noexcept {
  const double ns = seconds * 1e9;
  if (std::isnan(ns) || ns <= 0) return std::chrono::nanoseconds(0);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return std::chrono::nanoseconds(ns >= static_cast<double>(most) ? most : static_cast<std::int64_t>(ns));
}

/// 0 and less mean now.
inline Deadline after_seconds(double seconds) noexcept {
  return seconds > 0 ? Deadline::after(of_seconds(seconds)) : Deadline::now();
}

}  // namespace eventspace::python
