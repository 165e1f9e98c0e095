#pragma once

// The connections to a server's socket.

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "paths/sockets/connection_events.h"

namespace eventspace {

/// Counts the connections to one listening socket that ended, and those that were refused because the peer
/// did not speak ZeroMQ's protocol. ZeroMQ (4.3) does not report to which connection the outcome of a
/// handshake belongs, and reports no outcome if garbage looks like its oldest protocol at first:
///
///     accepted(fd) -> handshake succeeded            -> disconnected(fd)   a peer
///     accepted(fd) -> handshake failed               -> disconnected(fd)   refused
///     accepted(fd)                                   -> disconnected(fd)   refused
///
/// A success is attributed to the connection accepted last. Used only by the thread of the socket.
class ConnectionWatch {
 public:
  /// Callbacks of read() for each connection that was accepted or has ended, by its descriptor.
  struct Calls {
    std::function<void(int)> accepted;
    std::function<void(int)> ended;
  };
  ConnectionWatch(zmq::context_t& context, LoopSocket& listener, Calls calls = {});

  struct News {
    std::uint64_t refused{0};  ///< connections refused
    std::uint64_t left{0};     ///< connections of peers that ended
  };
  /// Returns the counts since the last call. Never blocks.
  News read();
  /// Waits until the listening socket is closed, for at most `longest`. Other events are dropped.
  void await_close(std::chrono::milliseconds longest);
  /// The socket to poll for further events.
  [[nodiscard]] LoopSocket& socket() noexcept { return events_.socket(); }

 private:
  void note(ConnectionEvents::Event event, News& news);
  bool forget(int descriptor);

  ConnectionEvents events_;
  Calls calls_;
  std::vector<int> in_handshake_;  // in the order of acceptance
  bool failed_{false};             // a handshake failed: the next disconnected event is its connection's
};

}  // namespace eventspace
