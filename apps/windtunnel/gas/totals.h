// The quantities that are counted in a slice; the tunnel's quantities are the sums over its slices.
#pragma once

#include <cstdint>

namespace eventspace::windtunnel {

// Exact sums over sites. Momentum is in the whole units of channel.h.
struct Totals {
  std::int64_t mass = 0;
  std::int64_t momentum_x = 0;
  std::int64_t momentum_y = 0;

  Totals& operator+=(const Totals& other) {
    mass += other.mass;
    momentum_x += other.momentum_x;
    momentum_y += other.momentum_y;
    return *this;
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

// Particles that came in and went out at the two ends of the tunnel.
struct Throughput {
  std::int64_t injected = 0;
  std::int64_t left = 0;

  Throughput& operator+=(const Throughput& other) {
    injected += other.injected;
    left += other.left;
    return *this;
  }
  friend bool operator==(const Throughput&, const Throughput&) = default;
};

}  // namespace eventspace::windtunnel
