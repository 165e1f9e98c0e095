#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "paths/views/rank_set.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// A packet, as delivered to its receiver.
struct Received {
  std::uint32_t stream{0};
  Packet packet;
};

enum class EventKind : std::uint8_t {
  joined,   ///< back-ends or internal processes have attached
  left,     ///< back-ends or internal processes are gone; the text has the reason
  fault,    ///< a stream has lost a wave; the text has the wave and the reason
  ended,    ///< in a back-end: the network is gone
  failed,   ///< a process of the network could not be started; the text has its host and command
  no_room,  ///< a stream's window is full, and its sender waits; the text has the stream
  dropped   ///< a stream has dropped packets since the last such event (WhenFull); the text has the number
};
[[nodiscard]] std::string_view to_string(EventKind kind) noexcept;

/// An event of a network.
struct Event {
  EventKind kind{EventKind::joined};
  RankSet ranks{};  ///< the back-ends concerned
  std::string text{};
  RankSet internals{};  ///< the internal processes concerned: their numbers in the topology
};

}  // namespace eventspace::streams
