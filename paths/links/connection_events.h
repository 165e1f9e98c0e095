#pragma once

// Private to paths/.
// What ZeroMQ tells of the connections of one socket.

#include <cstdint>
#include <optional>
#include <zmq.hpp>

#include "paths/links/loop_socket.h"

namespace eventspace {

/// The events of a socket's connections, in the order in which they happened; of one connection, what it
/// brought is handed to the socket before its end is told. Make it before the socket binds or connects, or
/// miss the first ones. Belongs to the thread of the socket.
///
/// The queue has no limit: where it were full, ZeroMQ's I/O thread would wait, and all connections of the
/// process with it. It grows by some 100 bytes for each connection that is made or lost while nobody reads.
class ConnectionEvents {
 public:
  /// `events`: ZMQ_EVENT_... to be told of. `watched` must outlive it. Throws EnvironmentError when that
  /// cannot be watched.
  ConnectionEvents(zmq::context_t& context, LoopSocket& watched, int events);
  ~ConnectionEvents();
  ConnectionEvents(const ConnectionEvents&) = delete;
  ConnectionEvents& operator=(const ConnectionEvents&) = delete;

  struct Event {
    std::uint16_t kind{0};  ///< ZMQ_EVENT_...
    std::int32_t value{0};  ///< most often the connection's descriptor
  };
  /// The next event, if there is one; never waits.
  std::optional<Event> next();
  /// To wait for the next with.
  [[nodiscard]] LoopSocket& socket() noexcept { return events_; }

 private:
  void* watched_;
  LoopSocket events_;
};

}  // namespace eventspace
