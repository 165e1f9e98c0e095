#pragma once

#include <cstdint>

namespace eventspace::streams {

/// An amount of packets and of bytes of their bodies; windows and credit are given in both.
struct Load {
  std::uint64_t packets{0};
  std::uint64_t bytes{0};

  Load& operator+=(Load other) noexcept {
    packets += other.packets;
    bytes += other.bytes;
    return *this;
  }
  friend Load operator+(Load one, Load other) noexcept { return one += other; }
  friend bool operator==(Load one, Load other) noexcept = default;
  /// Whether this amount fills a window: it has as many packets, or as many bytes.
  [[nodiscard]] bool fills(Load window) const noexcept {
    return packets >= window.packets || bytes >= window.bytes;
  }
};

}  // namespace eventspace::streams
