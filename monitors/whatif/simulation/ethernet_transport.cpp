#include "monitors/whatif/simulation/ethernet_transport.h"

#include <algorithm>
#include <cstddef>

#include "tuplespace/system/saturating.h"

namespace eventspace::whatif {

EthernetTransport::EthernetTransport(Agenda& agenda, const EthernetNetwork& network,
                                     const std::vector<std::uint32_t>& stations, Pool<Message>& messages,
                                     Pool<Receive>& receives, Random& random, Ends& ends)
    : agenda_(&agenda),
      network_(&network),
      stations_(&stations),
      messages_(&messages),
      receives_(&receives),
      ends_(&ends),
      medium_(agenda, network, random, *this),
      shares_(stations.size()) {
  station_.resize(stations.empty() ? 0 : *std::ranges::max_element(stations) + std::size_t{1});
}

void EthernetTransport::send(std::uint32_t message) {
  const Message& of = (*messages_)[message];
  add(of.from, {.kind = Kind::send, .task = of.from, .number = message, .bytes = of.bytes});
}

void EthernetTransport::process(std::uint32_t receive, Picoseconds /*at*/) {
  const std::uint32_t task = (*receives_)[receive].task;
  add(task, {.kind = Kind::receive, .task = task, .number = receive});
}

void EthernetTransport::taken(std::uint32_t task, std::uint32_t /*from*/) {
  if (network_->acknowledges) add(task, {.kind = Kind::acknowledge, .task = task});
}

void EthernetTransport::add(std::uint32_t task, const Job& job) {
  const std::uint32_t station = (*stations_)[task];
  station_[station].jobs.push_back(job);
  if (station_[station].jobs.size() == 1) begin(station);
}

void EthernetTransport::begin(std::uint32_t station) {
  const Job& job = station_[station].jobs.front();
  NetworkShare& share = shares_[job.task];
  switch (job.kind) {
    case Kind::send: {
      const Picoseconds work = network_->per_message + network_->per_segment;
      share.in_stack += work;
      return agenda_->at(agenda_->after(work), *this, packet_is_ready, station);
    }
    case Kind::receive:
      share.in_stack += network_->per_receive;
      return agenda_->at(agenda_->after(network_->per_receive), *this, receive_is_complete, station);
    case Kind::acknowledge:
      return send_packet(station);
  }
}

std::uint64_t EthernetTransport::data_of(const Job& job) const {
  return std::min<std::uint64_t>(job.bytes, network_->segment);
}

void EthernetTransport::send_packet(std::uint32_t station) {
  Station& of = station_[station];
  of.packet_ready = agenda_->now();
  medium_.request(station, data_of(of.jobs.front()) + network_->header);
}

void EthernetTransport::frame_sent(std::uint32_t station, Picoseconds arrival) {
  Station& of = station_[station];
  Job& job = of.jobs.front();
  NetworkShare& share = shares_[job.task];
  share.on_network = saturating::add(share.on_network, arrival - of.packet_ready);
  share.collisions += medium_.collisions_of_frame(station);
  if (job.kind == Kind::acknowledge) return finish(station);
  const std::uint64_t data = data_of(job);
  job.bytes -= data;
  on_the_way_.push_back({job.number, data, job.bytes == 0});
  agenda_->at(arrival, *this, packet_arrives, 0);
  if (job.bytes == 0) {
    ends_->left(job.number, agenda_->now());
    return finish(station);
  }
  if (network_->per_segment == 0) return send_packet(station);
  share.in_stack += network_->per_segment;
  agenda_->at(agenda_->after(network_->per_segment), *this, packet_is_ready, station);
}

void EthernetTransport::frame_given_up(std::uint32_t station) {
  NetworkShare& share = shares_[station_[station].jobs.front().task];
  share.collisions += medium_.collisions_of_frame(station);
  ++share.resent;
  agenda_->at(agenda_->after(network_->retransmits_after), *this, is_sent_again, station);
}

void EthernetTransport::finish(std::uint32_t station) {
  Station& of = station_[station];
  of.jobs.pop_front();
  // Uses an event, so that TCP's work does not recurse.
  if (!of.jobs.empty()) agenda_->at(agenda_->now(), *this, job_begins, station);
}

void EthernetTransport::happen(std::uint32_t what, std::uint32_t which) {
  switch (static_cast<What>(what)) {
    case job_begins:
      return begin(which);
    case packet_is_ready:
    case is_sent_again: {
      // TCP's wait before a retransmission counts as time on the network.
      const Picoseconds ready = station_[which].packet_ready;
      send_packet(which);
      if (what == is_sent_again) station_[which].packet_ready = ready;
      return;
    }
    case receive_is_complete: {
      const std::uint32_t receive = station_[which].jobs.front().number;
      finish(which);
      return ends_->processed(receive, agenda_->now());
    }
    case packet_arrives: {
      const Packet packet = on_the_way_.front();
      on_the_way_.pop_front();
      return deliver(packet);
    }
  }
}

// A message of a multicast may be received, and its number reused, before the next message is processed.
void EthernetTransport::deliver(const Packet& packet) {
  std::uint32_t message = packet.message;
  while (message != nothing) {
    const Message& of = (*messages_)[message];
    const std::uint32_t next = of.next_of_multicast;
    if ((*stations_)[of.from] != (*stations_)[of.to])
      ends_->arrived(message, packet.bytes, packet.is_last, agenda_->now());
    message = next;
  }
}

}  // namespace eventspace::whatif
