#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "paths/wire/fields.h"
#include "scopes/streams/packets/format.h"

// The packets of orders to groups of processes and of their answers: a version, and an encoded value
// (paths/wire/fields.h).

namespace eventspace {

/// The version of all these packets. It changes with any of their formats; another version of `eventspace` on
/// another machine then gets an error.
inline constexpr std::uint32_t group_packets_version = 9;

/// Throws PacketError if the packet would be too large.
streams::Packet packet_with_body(std::int32_t tag, Bytes body);

/// The encoded value in a packet, valid as long as this object and the packet.
class PacketBody {
 public:
  /// Throws PacketError if the packet is damaged, or of another version.
  explicit PacketBody(const streams::Packet& packet);

  [[nodiscard]] Bytes bytes() const { return std::as_bytes(std::get<1>(read_.values())); }

 private:
  friend streams::Packet packet_with_body(std::int32_t tag, Bytes body);
  using BodyFormat = streams::Format<std::uint32_t, std::span<const std::uint8_t>>;

  static const streams::Packet& checked(const streams::Packet& packet);

  BodyFormat::Read read_;
};

template <class T>
streams::Packet packet_with(std::int32_t tag, const T& value) {
  return packet_with_body(tag, wire::encoded(value));
}

/// Throws PacketError.
template <class T>
T value_in(const streams::Packet& packet) {
  const PacketBody body(packet);
  auto value = wire::decoded<T>(body.bytes());
  if (!value) throw streams::PacketError("an order to a group, or its answer, is malformed");
  return *std::move(value);
}

}  // namespace eventspace
