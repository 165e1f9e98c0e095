// The exchange of border rows on EventSpace paths: in each step a worker sends three rows to each neighbour
// and receives three from each, twelve tuples (int step, bytes row), one element for each. Rows travel as
// 64-bit words, lowest byte first.
//
// Paths are named after the side and the channel: send/north/{n,ne,nw}, send/south/{s,se,sw},
// receive/north/{s,se,sw}, receive/south/{n,ne,nw}.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/windtunnel/channel.h"
#include "apps/windtunnel/slice.h"
#include "pathmaps/session.h"

namespace eventspace::windtunnel {

class BorderExchange {
 public:
  // The thread must outlive it. Throws ConfigurationError if it has not all the paths.
  BorderExchange(SessionThread& thread, const TunnelConfig& config);

  // Both throw OperationError when an operation does not succeed.
  void send(std::uint64_t step, const Slice& slice);

  // Throws std::logic_error for a row of another step, and ConfigurationError for one of another size.
  void receive(std::uint64_t step, Slice& slice);

  // Takes rows until there are none and none will come: for ever, unless the session is closed.
  void wait_in_vain();

 private:
  struct Lane {
    Side side;
    Channel channel;
    Path* path;
  };
  using Lanes = std::array<Lane, 6>;

  void check(std::uint64_t step, const Lane& lane, const Tuple& tuple) const;

  const std::string thread_;
  Lanes sending_;
  Lanes receiving_;
  std::vector<std::uint64_t> row_;
};

}  // namespace eventspace::windtunnel
