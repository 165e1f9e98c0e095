#pragma once

// Private to monitors/.

#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/groups/group_order.h"
#include "scopes/streams/packets/packet.h"

// Orders and answers as packets of streams. Both begin with a version, which changes with the format: an
// `eventspace` of another version on another machine is told so. What comes from there is checked.

namespace eventspace {

inline constexpr std::uint32_t group_packets_version = 1;

streams::Packet packet_of(const GroupOrder& order);
/// Throws PacketError or ConfigurationError.
GroupOrder order_in(const streams::Packet& packet);

streams::Packet packet_of(const GroupAnswer& answer);
/// Throws PacketError.
GroupAnswer answer_in(const streams::Packet& packet);

}  // namespace eventspace
