#include "monitors/whatif/simulation/loggp_transport.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <eventspace/error.h>
#include "tuplespace/system/saturating.h"

namespace eventspace::whatif {

LogGpTransport::LogGpTransport(Agenda& agenda, const LogGpNetwork& network,
                               const std::vector<std::uint32_t>& stations, Pool<Message>& messages,
                               Ends& ends)
    : agenda_(&agenda),
      network_(&network),
      stations_(&stations),
      messages_(&messages),
      ends_(&ends),
      is_infinite_(network.latency == 0 && network.gap == 0 && network.per_byte == 0),
      shares_(stations.size()) {
  const std::size_t count = stations.empty() ? 0 : *std::ranges::max_element(stations) + std::size_t{1};
  way_in_.resize(count);
  way_out_.resize(count);
}

// Transfer time of all bytes after the first, as LogGP counts.
Picoseconds LogGpTransport::transfer(std::uint64_t bytes) const {
  if (bytes < 2) return 0;
  const double ps = static_cast<double>(bytes - 1) * network_->per_byte;
  if (ps > static_cast<double>(longest_time))
    throw ConfigurationError("a message takes longer than 53 days, the most that can be simulated");
  return static_cast<Picoseconds>(std::llround(ps));
}

void LogGpTransport::send(std::uint32_t message) {
  while (message != nothing) {
    // A message may be received, and its number reused, before the next message is processed.
    const Message& of = (*messages_)[message];
    const std::uint32_t next = of.next_of_multicast;
    if ((*stations_)[of.from] != (*stations_)[of.to]) send_one(message);
    message = next;
  }
}

void LogGpTransport::send_one(std::uint32_t message) {
  const Message& of = (*messages_)[message];
  if (is_infinite_) {
    const std::uint64_t bytes = of.bytes;
    ends_->left(message, agenda_->now());
    return ends_->arrived(message, bytes, true, agenda_->now());
  }
  if (handed_.size() <= message) handed_.resize(message + std::size_t{1});
  handed_[message] = agenda_->now();
  Picoseconds& way = way_in_[(*stations_)[of.from]];
  const Picoseconds wait = std::max<Picoseconds>(way - agenda_->now(), 0);
  const Picoseconds last_byte = agenda_->after(wait + transfer(of.bytes));
  way = last_byte + network_->gap;
  agenda_->at(agenda_->after(wait + network_->latency), *this, 0, message);
  ends_->left(message, last_byte);
}

void LogGpTransport::happen(std::uint32_t /*what*/, std::uint32_t which) { accept(which); }

// The first byte has arrived; the others follow at the rate of the network once the way out is free.
void LogGpTransport::accept(std::uint32_t message) {
  const Message& of = (*messages_)[message];
  Picoseconds& way = way_out_[(*stations_)[of.to]];
  const Picoseconds wait = std::max<Picoseconds>(way - agenda_->now(), 0);
  const Picoseconds arrival = agenda_->after(wait + transfer(of.bytes));
  way = arrival + network_->gap;
  Picoseconds& on_network = shares_[of.from].on_network;  // of all messages under way
  on_network = saturating::add(on_network, arrival - handed_[message]);
  ends_->arrived(message, of.bytes, true, arrival);
}

}  // namespace eventspace::whatif
