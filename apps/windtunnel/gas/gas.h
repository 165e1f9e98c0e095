// The gas that comes into the tunnel and fills it at the start: each channel is occupied with the configured
// probability, to a precision of 1/65536.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "apps/windtunnel/gas/channel.h"
#include "apps/windtunnel/gas/config.h"

namespace eventspace::windtunnel {

class Gas {
 public:
  explicit Gas(const TunnelConfig& config);

  // Returns the particles of one channel at 64 sites at the start.
  std::uint64_t initial_word(Channel channel, std::size_t row, std::size_t word) const;

  // Returns whether a particle comes in along a slanted channel at the end of the row in this step.
  bool enters(Channel channel, std::size_t row, std::uint64_t step) const;

 private:
  std::uint64_t seed_;
  std::array<std::uint32_t, kChannels> thresholds_;
};

}  // namespace eventspace::windtunnel
