#pragma once

#include <algorithm>
#include <cstdint>

#include "paths/views/view.h"

namespace eventspace::efficiency {

/// Times of damaged or forged data are limited so that their differences do not overflow.
inline constexpr std::int64_t max_time_ns = std::int64_t{1} << 61;
constexpr std::int64_t bounded_ns(std::int64_t ns) noexcept {
  return std::clamp(ns, -max_time_ns, max_time_ns);
}

/// A time of the process's clock on the clock of the process that holds the view, within the limits. Pure.
inline std::int64_t bounded_here(const ProcessReport& process, std::uint64_t ticks) noexcept {
  return bounded_ns(process.here(ticks).ns);
}

}  // namespace eventspace::efficiency
