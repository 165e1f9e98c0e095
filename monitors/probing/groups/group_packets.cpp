#include "monitors/probing/groups/group_packets.h"

#include "monitors/probing/groups/group_layout.h"
#include "monitors/probing/groups/packet_body.h"

namespace eventspace {

streams::Packet packet_of(const GroupOrder& order) { return packet_with(group_tag, order); }

GroupOrder order_in(const streams::Packet& packet) {
  auto order = value_in<GroupOrder>(packet);
  for (const auto& [name, choice] : order.groups) check_choice(choice);
  check_order(order);
  return order;
}

streams::Packet packet_of(const GroupAnswer& answer) { return packet_with(group_tag, answer); }

GroupAnswer answer_in(const streams::Packet& packet) {
  GroupAnswer answer;
  answer.merge(value_in<GroupAnswer>(packet));  // sorts functions, and joins those with one name
  return answer;
}

}  // namespace eventspace
