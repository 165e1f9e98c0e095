#include "monitors/probing/nodes/function_listing.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "monitors/probing/listing/listing_packets.h"
#include "monitors/probing/nodes/group_filter.h"
#include "monitors/probing/nodes/node_network.h"
#include "monitors/probing/work/listing_work.h"
#include "monitors/text/plain_output.h"

namespace eventspace {
namespace {

using CarryOut = std::function<ListingAnswer(const ListingOrder&)>;

ListingAnswer list_by(ListingOrder order, const CarryOut& carry_out) {
  ListingAnswer first = carry_out(order);
  refuse_other_rows(first, order.listing);
  if (order.step == ListingStep::read_apart) return put_together(std::move(first));
  order.step = ListingStep::read;
  for (ListedClass& one : first.classes) order.classes.push_back(std::move(one.module));
  first.classes.clear();
  if (order.classes.empty()) return first;
  ListingAnswer read = carry_out(order);
  refuse_other_rows(read, order.listing);
  read.merge(std::move(first));
  return read;
}

}  // namespace

ListingAnswer list_on_nodes(ListingOrder order, const NodeChoice& nodes) {
  if (nodes.is_here()) {
    ListingHere here;
    return list_by(std::move(order), [&here](const ListingOrder& one) { return here.carry_out(one); });
  }
  NodeNetwork network(nodes);
  network.report_failures();
  const std::uint32_t stream = network.open(listing_filter);
  return list_by(std::move(order), [&](const ListingOrder& one) {
    const NodeNetwork::Answer answer = network.ask(stream, packet_of(one));
    for (const std::string& machine : answer.silent)
      print_message(fmt::format("machine {} has not answered", machine));
    return listing_answer_in(answer.packet);
  });
}

}  // namespace eventspace
