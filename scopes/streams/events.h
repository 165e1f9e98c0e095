#pragma once

#include <cstdint>
#include <string>

#include "paths/views/rank_set.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// A packet as its receiver gets it.
struct Received {
  std::uint32_t stream{0};
  Packet packet;
};

enum class EventKind : std::uint8_t {
  joined,  ///< end-points are there
  left,    ///< end-points are gone; the text says why
  fault,   ///< a stream has lost a wave; the text says which, and why
  ended    ///< of a back-end: the network is gone
};

/// What happened to a network.
struct Event {
  EventKind kind{EventKind::joined};
  RankSet ranks{};
  std::string text{};
};

}  // namespace eventspace::streams
