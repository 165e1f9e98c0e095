#pragma once

#include <cstddef>

namespace eventspace::streams {

/// The parts of packets and frames begin at multiples of this.
inline constexpr std::size_t unit_bytes = 8;
constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
}

}  // namespace eventspace::streams
