#pragma once

// Private to paths/.
// What ZeroMQ tells of the connections to a server's socket.

#include <cstdint>
#include <vector>

#include "paths/links/connection_events.h"

namespace eventspace {

/// Follows the connections to one listening socket: which left, and which were refused because what they
/// sent was not ZeroMQ's protocol. ZeroMQ (4.3) does not name the connection that a handshake's outcome is
/// about, and says nothing at all when garbage passes for its oldest protocol until it breaks that one too:
///
///     accepted(fd) -> handshake succeeded            -> disconnected(fd)   a peer
///     accepted(fd) -> handshake failed               -> disconnected(fd)   refused
///     accepted(fd)                                   -> disconnected(fd)   refused
///
/// A success is taken to be about the connection accepted last. Belongs to the thread of the socket.
class ConnectionWatch {
 public:
  ConnectionWatch(zmq::context_t& context, LoopSocket& listener);

  struct News {
    std::uint64_t refused{0};
    std::uint64_t left{0};
  };
  /// What happened since the last call; never waits.
  News read();
  /// To wait for news with.
  [[nodiscard]] LoopSocket& socket() noexcept { return events_.socket(); }

 private:
  void note(ConnectionEvents::Event event, News& news);
  bool forget(int descriptor);

  ConnectionEvents events_;
  std::vector<int> in_handshake_;  // in the order of acceptance
  bool failed_{false};             // the connection that is disconnected next
};

}  // namespace eventspace
