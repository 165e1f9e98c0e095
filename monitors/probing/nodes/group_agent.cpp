#include <chrono>

#include <eventspace/error.h>
#include <eventspace/streams.h>
#include "monitors/cli/command.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/probing/groups/group_packets.h"
#include "monitors/probing/listing/listing_packets.h"
#include "monitors/probing/work/group_work.h"
#include "monitors/probing/work/listing_work.h"
#include "tuplespace/processes/descriptor_limit.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// A failure is sent as an answer, too; the command reports the reason with the name of the machine.
template <class Answer, class Work>
streams::Packet answer_by(Work work) {
  try {
    return packet_of(work());
  } catch (const Error& error) {
    Answer answer;
    answer.refusals.add(std::string("the order failed on the whole machine: ") + error.what(),
                        {1, {own_host()}});
    return packet_of(answer);
  }
}

streams::Packet answer_to(const streams::Packet& packet, GroupWorkHere& work, ListingHere& listing) {
  if (packet.tag == listing_tag)
    return answer_by<ListingAnswer>([&] { return listing.carry_out(listing_order_in(packet)); });
  return answer_by<GroupAnswer>([&] { return work.carry_out(order_in(packet)); });
}

int serve_group() {
  // Set up before ZeroMQ's threads are started. A signal, for example by a launcher whose connection is lost,
  // ends the agent like the end of its network, so it removes its probes.
  StopSignals signals;
  (void)raise_descriptor_limit();
  streams::BackEnd back_end(streams::AttachPoint::from_environment(), Deadline::after(30s));
  GroupWorkHere work;
  ListingHere listing(back_end.rank());
  while (!back_end.has_ended() && !signals.stopped()) {
    const auto received = back_end.receive(Deadline::after(100ms));
    if (received)
      back_end.answer(*received, answer_to(received->packet, work, listing), Deadline::after(60s));
    work.look_again();
  }
  return exit_fine;
}

}  // namespace

// Hidden: works on processes of its machine for a command on another one, as a back-end of the network that
// the command has started (GroupWorkOnNodes). When the network ends, it removes its probes and ends.
Command agent_command(const CommandContext& /*context*/) {
  const CommandGuide guide{.group = CommandGroup::machine,
                           .place = 4,
                           .examples = {{"eventspace agent", "commands start it on other machines"}}};
  return {"agent",
          "Works on processes of this machine for a command on another one",
          [](CLI::App&) { return [] { return serve_group(); }; },
          guide,
          {},
          true};
}

}  // namespace eventspace
