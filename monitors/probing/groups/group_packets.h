#pragma once

#include <cstdint>

#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/groups/group_order.h"
#include "scopes/streams/packets/packet.h"

// Converts orders and answers to packets of streams (packet_body.h) and back. Packets from other machines are
// checked.

namespace eventspace {

/// The tag of these packets, which distinguishes them from those of listings (listing_tag).
inline constexpr std::int32_t group_tag = 0;

streams::Packet packet_of(const GroupOrder& order);
/// Throws PacketError or ConfigurationError.
GroupOrder order_in(const streams::Packet& packet);

streams::Packet packet_of(const GroupAnswer& answer);
/// Throws PacketError.
GroupAnswer answer_in(const streams::Packet& packet);

}  // namespace eventspace
