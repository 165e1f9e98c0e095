#pragma once

// ZeroMQ's events about the connections of one socket.

#include <cstdint>
#include <optional>
#include <zmq.hpp>

#include "paths/sockets/loop_socket.h"

namespace eventspace {

/// The events of a socket's connections, in the order in which they happened. All messages that a connection
/// delivered are in the socket before the event of its end is. Must be constructed before the socket binds or
/// connects; otherwise it misses the first events. Used only by the thread of the socket.
///
/// The queue is unlimited: if it were full, ZeroMQ's I/O thread would block, and all connections of the
/// process with it. It grows by about 100 bytes for each connection that is made or lost until it is read.
class ConnectionEvents {
 public:
  /// `events`: the ZMQ_EVENT_... to receive. `watched` must outlive this object. Throws EnvironmentError if
  /// it cannot be watched.
  ConnectionEvents(zmq::context_t& context, LoopSocket& watched, int events);
  ~ConnectionEvents();
  ConnectionEvents(const ConnectionEvents&) = delete;
  ConnectionEvents& operator=(const ConnectionEvents&) = delete;

  struct Event {
    std::uint16_t kind{0};  ///< ZMQ_EVENT_...
    std::int32_t value{0};  ///< of most kinds: the connection's descriptor
  };
  /// Returns the next event, if any. Never blocks.
  std::optional<Event> next();
  /// The socket to poll for the next event.
  [[nodiscard]] LoopSocket& socket() noexcept { return events_; }

 private:
  void* watched_;
  LoopSocket events_;
};

}  // namespace eventspace
