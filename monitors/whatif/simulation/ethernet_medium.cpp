#include "monitors/whatif/simulation/ethernet_medium.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace eventspace::whatif {

EthernetMedium::EthernetMedium(Agenda& agenda, const EthernetNetwork& network, Random& random, Client& client)
    : agenda_(&agenda),
      network_(&network),
      random_(&random),
      client_(&client),
      slot_(bits(network.slot_bits)),
      gap_(bits(network.gap_bits)),
      jam_(bits(network.jam_bits)),
      delay_(bits(network.delay_bits)),
      idle_since_(-gap_) {}

Picoseconds EthernetMedium::bits(double count) const {
  return static_cast<Picoseconds>(
      std::llround(count * static_cast<double>(ps_per_second) / network_->bits_per_second));
}

Picoseconds EthernetMedium::frame_time(std::uint64_t packet_bytes) const {
  const std::uint64_t bytes =
      std::max<std::uint64_t>(packet_bytes + network_->framing, network_->least_frame);
  return bits(static_cast<double>(bytes) * 8);
}

std::uint32_t EthernetMedium::collisions_of_frame(std::uint32_t station) const {
  return station < frame_collisions_.size() ? frame_collisions_[station] : 0;
}

Picoseconds EthernetMedium::attempt(const Contender& contender) const {
  return std::max(contender.earliest, idle_since_ + gap_);
}

void EthernetMedium::request(std::uint32_t station, std::uint64_t packet_bytes) {
  if (frame_collisions_.size() <= station) frame_collisions_.resize(station + std::size_t{1});
  frame_collisions_[station] = 0;
  contenders_.push_back(
      {.station = station, .duration = frame_time(packet_bytes), .earliest = agenda_->now()});
  if (phase_ == Phase::idle) contend();
}

// Schedules the next attempt. An attempt that was scheduled before is ignored if a new contender precedes it.
void EthernetMedium::contend() {
  if (contenders_.empty()) return;
  if (network_->back_off == EthernetNetwork::BackOff::ideal) {
    if (awaits_slot_) return;
    awaits_slot_ = true;
    return agenda_->at(std::max(agenda_->now(), idle_since_ + gap_), *this, slot_begins, 0);
  }
  Picoseconds first = std::numeric_limits<Picoseconds>::max();
  for (const Contender& contender : contenders_) first = std::min(first, attempt(contender));
  agenda_->at(std::max(first, agenda_->now()), *this, begins, ++generation_);
}

void EthernetMedium::happen(std::uint32_t what, std::uint32_t which) {
  switch (static_cast<What>(what)) {
    case begins:
      return begin(which);
    case is_sensed:
      return sense();
    case is_over:
      return end();
    case slot_begins:
      return slot();
  }
}

void EthernetMedium::begin(std::uint32_t generation) {
  if (generation != generation_ || phase_ != Phase::idle) return;
  phase_ = Phase::beginning;
  began_ = agenda_->now();
  agenda_->at(agenda_->after(delay_), *this, is_sensed, 0);
}

// All stations that began in the meantime had not sensed the carrier.
void EthernetMedium::sense() {
  sends_.assign(contenders_.size(), false);
  std::size_t senders = 0;
  Picoseconds last = began_;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const Picoseconds at = attempt(contenders_[i]);
    if (at > began_ && at >= began_ + delay_) continue;
    sends_[i] = true;
    ++senders;
    last = std::max(last, at);
    sender_ = static_cast<std::uint32_t>(i);
  }
  if (senders == 1) return succeed(sender_);
  collide(last);
}

void EthernetMedium::succeed(std::size_t place) {
  phase_ = Phase::busy;
  succeeds_ = true;
  sender_ = static_cast<std::uint32_t>(place);
  // A frame is longer than the delay, so it does not end before it is sensed.
  agenda_->at(std::max(began_ + contenders_[place].duration, agenda_->now()), *this, is_over, 0);
}

void EthernetMedium::collide(Picoseconds last) {
  phase_ = Phase::busy;
  succeeds_ = false;
  ++collisions_;
  const Picoseconds over = std::max(last + delay_ + jam_, agenda_->now());
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (!sends_[i]) continue;
    Contender& contender = contenders_[i];
    ++contender.collisions;
    ++frame_collisions_[contender.station];
    const std::uint32_t doublings = std::min(contender.collisions, network_->most_doublings);
    contender.earliest = over + slot_ * random_->below(1U << doublings);
  }
  agenda_->at(over, *this, is_over, 0);
}

void EthernetMedium::end() {
  phase_ = Phase::idle;
  idle_since_ = agenda_->now();
  if (succeeds_) {
    const std::uint32_t station = contenders_[sender_].station;
    contenders_.erase(contenders_.begin() + sender_);
    ++frames_;
    client_->frame_sent(station, agenda_->after(delay_));
  } else {
    std::vector<std::uint32_t> given_up;
    std::erase_if(contenders_, [&](const Contender& contender) {
      if (contender.collisions < network_->attempts) return false;
      given_up.push_back(contender.station);
      return true;
    });
    given_up_ += given_up.size();
    for (const std::uint32_t station : given_up) client_->frame_given_up(station);
  }
  if (phase_ == Phase::idle) contend();
}

// Ideal back-off: a collision takes one slot, and so does silence.
void EthernetMedium::slot() {
  awaits_slot_ = false;
  if (phase_ != Phase::idle || contenders_.empty()) return;
  began_ = agenda_->now();
  std::size_t senders = 0;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (random_->below(static_cast<std::uint32_t>(contenders_.size())) != 0) continue;
    ++senders;
    sender_ = static_cast<std::uint32_t>(i);
  }
  if (senders == 1) return succeed(sender_);
  if (senders > 1) ++collisions_;
  awaits_slot_ = true;
  agenda_->at(agenda_->after(slot_), *this, slot_begins, 0);
}

}  // namespace eventspace::whatif
