#pragma once

// Private to monitors/.

#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/groups/packet_columns.h"
#include "scopes/streams/packets/packet.h"

// Orders and answers as packets of streams. Both begin with a version (group_packets_version). What comes
// from other machines is checked.

namespace eventspace {

streams::Packet packet_of(const GroupOrder& order);
/// Throws PacketError or ConfigurationError.
GroupOrder order_in(const streams::Packet& packet);

streams::Packet packet_of(const GroupAnswer& answer);
/// Throws PacketError.
GroupAnswer answer_in(const streams::Packet& packet);

}  // namespace eventspace
