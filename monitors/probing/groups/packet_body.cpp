#include "monitors/probing/groups/packet_body.h"

#include <fmt/format.h>

namespace eventspace {

streams::Packet packet_with_body(std::int32_t tag, Bytes body) {
  return PacketBody::BodyFormat::make(tag, group_packets_version,
                                      {reinterpret_cast<const std::uint8_t*>(body.data()), body.size()});
}

// The first value of all versions of these packets is the version.
PacketBody::PacketBody(const streams::Packet& packet) : read_(checked(packet)) {
  const std::uint32_t version = std::get<0>(read_.values());
  if (version != group_packets_version)
    throw streams::PacketError(
        fmt::format("another version of eventspace: found version {} of orders to groups, expected {}",
                    version, group_packets_version));
}

const streams::Packet& PacketBody::checked(const streams::Packet& packet) {
  if (!BodyFormat::matches(streams::PacketView(packet)))
    throw streams::PacketError("another version of eventspace: its packets to groups have another format");
  return packet;
}

}  // namespace eventspace
