#include "monitors/probing/groups/group_packets.h"

#include <cstdint>
#include <span>
#include <vector>

#include "monitors/probing/groups/group_layout.h"
#include "monitors/probing/groups/packet_columns.h"
#include "scopes/streams/packets/format.h"

namespace eventspace {
namespace {

using Octets = std::span<const std::uint8_t>;
using BodyFormat = streams::Format<std::uint32_t, Octets>;

template <class T>
streams::Packet packet_with(std::int32_t tag, const T& value) {
  const std::vector<std::byte> body = wire::encoded(value);
  return BodyFormat::make(tag, group_packets_version,
                          {reinterpret_cast<const std::uint8_t*>(body.data()), body.size()});
}

// The first value of all versions of these packets is the version.
template <class T>
T value_in(const streams::Packet& packet) {
  if (!BodyFormat::matches(streams::PacketView(packet))) refuse_other_version();
  const BodyFormat::Read read(packet);
  const auto& [version, body] = read.values();
  require_group_version(version);
  auto value = wire::decoded<T>(std::as_bytes(body));
  if (!value) throw streams::PacketError("an order to a group, or its answer, is malformed");
  return *std::move(value);
}

}  // namespace

streams::Packet packet_of(const GroupOrder& order) {
  return packet_with(static_cast<std::int32_t>(order.verb), order);
}

GroupOrder order_in(const streams::Packet& packet) {
  auto order = value_in<GroupOrder>(packet);
  for (const auto& [name, choice] : order.groups) check_choice(choice);
  check_order(order);
  return order;
}

streams::Packet packet_of(const GroupAnswer& answer) { return packet_with(0, answer); }

GroupAnswer answer_in(const streams::Packet& packet) {
  GroupAnswer answer;
  answer.merge(value_in<GroupAnswer>(packet));  // sorts functions, and joins those with one name
  return answer;
}

}  // namespace eventspace
