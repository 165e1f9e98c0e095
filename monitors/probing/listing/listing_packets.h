#pragma once

#include <cstdint>

#include "monitors/probing/listing/listing_order.h"
#include "scopes/streams/packets/packet.h"

// Orders to list functions, and their answers, as packets of streams (like groups/group_packets.h). Packets
// from other machines are checked.

namespace eventspace {

/// The tag of these packets, which distinguishes them from orders to groups (group_tag).
inline constexpr std::int32_t listing_tag = 100;

streams::Packet packet_of(const ListingOrder& order);
/// Throws PacketError or ConfigurationError.
ListingOrder listing_order_in(const streams::Packet& packet);

streams::Packet packet_of(const ListingAnswer& answer);
/// Throws PacketError.
ListingAnswer listing_answer_in(const streams::Packet& packet);

}  // namespace eventspace
