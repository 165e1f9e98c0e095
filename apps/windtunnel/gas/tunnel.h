// The whole wind tunnel in one thread: its slices, with borders exchanged by plain copies. The reference for
// parallel runs, which must agree with it bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/windtunnel/gas/config.h"
#include "apps/windtunnel/gas/field.h"
#include "apps/windtunnel/gas/slice.h"

namespace eventspace::windtunnel {

class Tunnel {
 public:
  // Throws std::invalid_argument if the configuration is not valid, or cannot be cut into so many slices.
  explicit Tunnel(const TunnelConfig& config, std::size_t slices = 1);

  Throughput step();

  // Adds a particle, and returns whether there was room.
  bool place(Channel channel, std::size_t row, std::size_t column);

  // The number of steps done.
  std::uint64_t steps() const { return steps_; }
  const std::vector<Slice>& slices() const { return slices_; }

  Totals totals() const;
  std::uint64_t checksum() const;
  Field sample(std::size_t cell) const;

 private:
  void exchange();

  TunnelConfig config_;
  std::vector<Slice> slices_;
  std::uint64_t steps_ = 0;
};

}  // namespace eventspace::windtunnel
