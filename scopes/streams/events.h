#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "paths/views/rank_set.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// A packet as its receiver gets it.
struct Received {
  std::uint32_t stream{0};
  Packet packet;
};

enum class EventKind : std::uint8_t {
  joined,   ///< back-ends or internal processes are there
  left,     ///< back-ends or internal processes are gone; the text says why
  fault,    ///< a stream has lost a wave; the text says which, and why
  ended,    ///< of a back-end: the network is gone
  failed,   ///< a process of the network could not be started; the text has its host and command
  no_room,  ///< a stream's window is full, and its sender waits; the text says which
  dropped   ///< a stream has dropped packets since the last such event (WhenFull); the text says how many
};
[[nodiscard]] std::string_view to_string(EventKind kind) noexcept;

/// What happened to a network.
struct Event {
  EventKind kind{EventKind::joined};
  RankSet ranks{};  ///< of the back-ends that are concerned
  std::string text{};
  RankSet internals{};  ///< the internal processes that are concerned: their numbers in the topology
};

}  // namespace eventspace::streams
