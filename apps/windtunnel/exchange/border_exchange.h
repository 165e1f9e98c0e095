// The exchange of border rows on EventSpace paths: in each step a worker sends three rows to each neighbour
// and receives three from each, twelve tuples (int step, bytes row), one element for each. Rows travel as
// 64-bit words, lowest byte first.
//
// Before the first step, a tuple (-1, no bytes) travels twice along the path of the southward rows. A worker
// that ends early sends a last tuple (-2, no bytes) to its neighbours: a neighbour that already waits for a
// row in an element of its own process would otherwise notice the end only when this process is gone.
//
// Paths are named after the side and the channel: send/north/{n,ne,nw}, send/south/{s,se,sw},
// receive/north/{s,se,sw}, receive/south/{n,ne,nw}.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <eventspace/session.h>
#include "apps/windtunnel/gas/channel.h"
#include "apps/windtunnel/gas/slice.h"

namespace eventspace::windtunnel {

class BorderExchange {
 public:
  // The thread must outlive this object. Throws ConfigurationError if the thread lacks one of the paths.
  BorderExchange(SessionThread& thread, const TunnelConfig& config);

  // Blocks until all workers of the tunnel are here: a token travels around the ring southwards twice, the
  // second time to confirm to the workers that it has completed the first lap. The first worker starts it.
  void line_up(bool is_first);

  // send() and receive() throw OperationError if an operation fails, or if the neighbour has said farewell.
  void send(std::uint64_t step, const Slice& slice);

  // Throws std::logic_error for a row of another step, ConfigurationError for a row of another size.
  void receive(std::uint64_t step, Slice& slice);

  // Call when the team is ending. Does not block once the session is closed, and does not fail.
  void say_farewell();

  // Takes rows until there are none left, then waits for more, without end unless the session is closed.
  void wait_in_vain();

 private:
  struct Lane {
    Side side;
    Channel channel;
    Path* path;
  };
  using Lanes = std::array<Lane, 6>;

  Path& southwards() { return *sending_[3].path; }        // send/south/s
  Path& from_the_north() { return *receiving_[0].path; }  // receive/north/s, its other end

  void check(std::uint64_t step, const Lane& lane, const Tuple& tuple) const;

  const std::string thread_;
  Lanes sending_;
  Lanes receiving_;
  std::vector<std::uint64_t> row_;
};

}  // namespace eventspace::windtunnel
