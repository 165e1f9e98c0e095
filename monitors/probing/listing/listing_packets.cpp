#include "monitors/probing/listing/listing_packets.h"

#include "monitors/probing/groups/packet_body.h"
#include "monitors/probing/listing/listing_layout.h"

namespace eventspace {

streams::Packet packet_of(const ListingOrder& order) { return packet_with(listing_tag, order); }

ListingOrder listing_order_in(const streams::Packet& packet) {
  auto order = value_in<ListingOrder>(packet);
  for (const auto& [name, choice] : order.groups) check_choice(choice);
  check_listing(order);
  return order;
}

streams::Packet packet_of(const ListingAnswer& answer) {
  return packet_with<ListedModules>(listing_tag, answer);
}

ListingAnswer listing_answer_in(const streams::Packet& packet) {
  ListingAnswer answer;
  answer.merge(value_in<ListedModules>(packet));  // sorts classes, and limits them
  return answer;
}

}  // namespace eventspace
