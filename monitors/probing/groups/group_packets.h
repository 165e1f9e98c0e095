#pragma once

// Private to monitors/.

#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/groups/packet_columns.h"
#include "scopes/streams/packets/packet.h"

// Converts orders and answers to packets of streams and back. Both begin with a version
// (group_packets_version). Packets from other machines are checked.

namespace eventspace {

streams::Packet packet_of(const GroupOrder& order);
/// Throws PacketError or ConfigurationError.
GroupOrder order_in(const streams::Packet& packet);

streams::Packet packet_of(const GroupAnswer& answer);
/// Throws PacketError.
GroupAnswer answer_in(const streams::Packet& packet);

}  // namespace eventspace
