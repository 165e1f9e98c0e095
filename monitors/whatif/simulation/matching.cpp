#include "monitors/whatif/simulation/matching.h"

#include <algorithm>
#include <cmath>

namespace eventspace::whatif {

std::size_t Matching::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = (std::uint64_t{key.from} << 32 | key.to) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 29U;
  hash += (std::uint64_t{key.group} << 32 | key.tag) * 0xbf58476d1ce4e5b9U;
  return hash ^ hash >> 32U;
}

Matching::Matching(Agenda& agenda, const Network& network, const std::vector<std::uint32_t>& stations,
                   Tasks& tasks)
    : agenda_(&agenda), network_(&network), stations_(&stations), tasks_(&tasks) {}

std::uint32_t Matching::make(const Message& message) {
  ++open_messages_;
  bytes_sent_ += message.bytes;
  return messages_.make(message);
}

void Matching::free(std::uint32_t message) {
  --open_messages_;
  messages_.give_back(message);
}

bool Matching::send(Message message, bool is_sync) {
  const bool is_remote = !is_local(message.from, message.to);
  message.is_answered = message.is_answered && is_remote && !is_sync;
  const bool waits =
      is_sync || (is_remote && !message.is_answered && transport_->waits_for_receive(message.bytes));
  const bool is_awaited = waits || message.is_answered;
  message.waits_for_receive = waits;
  if (!is_awaited) message.request = nothing;
  const std::uint32_t number = make(message);
  meet(number);
  if (!waits) hand_over(number);
  return is_awaited;
}

void Matching::multicast(const Message& message, std::span<const std::uint32_t> destinations) {
  std::uint32_t first = nothing;
  std::uint32_t last = nothing;
  std::vector<std::uint32_t> local;
  for (const std::uint32_t to : destinations) {
    Message one = message;
    one.to = to;
    one.request = nothing;
    const std::uint32_t number = make(one);
    meet(number);
    if (is_local(one.from, to)) {
      local.push_back(number);
      continue;
    }
    if (last != nothing) messages_[last].next_of_multicast = number;
    if (first == nothing) first = number;
    last = number;
  }
  for (const std::uint32_t number : local) hand_over(number);
  if (first != nothing) transport_->send(first);
}

// A message may be complete as soon as it is handed over, so it is matched with its receive first.
void Matching::meet(std::uint32_t message) {
  const Key key = key_of(messages_[message]);
  Channel& channel = channels_[key];
  if (channel.receives.is_empty() || receives_[channel.receives.first].is_partial) {
    channel.messages.push(messages_, message);
    return;
  }
  const std::uint32_t receive = channel.receives.pop(receives_);
  drop_if_empty(key, channel);
  bind(message, receive);
}

void Matching::receive(const Receive& receive) {
  const std::uint32_t number = receives_.make(receive);
  const Key key{receive.from, receive.task, receive.group, receive.tag};
  Channel& channel = channels_[key];
  if (receive.is_partial) {
    channel.receives.push(receives_, number);
    return try_partial(channel, true);
  }
  if (channel.messages.is_empty()) return channel.receives.push(receives_, number);
  const std::uint32_t message = channel.messages.pop(messages_);
  channel.available -= messages_[message].arrived;
  drop_if_empty(key, channel);
  bind(message, number);
}

// Tags that a program uses once must not fill memory.
void Matching::drop_if_empty(const Key& key, const Channel& channel) {
  if (channels_.size() > kept_channels && channel.messages.is_empty() && channel.receives.is_empty())
    channels_.erase(key);
}

void Matching::bind(std::uint32_t message, std::uint32_t receive) {
  Message& of = messages_[message];
  of.receive = receive;
  receives_[receive].message = message;
  receives_[receive].partner_began = of.send_began;
  if (of.has_arrived && of.arrival <= agenda_->now()) return ready_late(receive, agenda_->now());
  if (of.has_arrived) return ready(receive, of.arrival);
  if (!of.waits_for_receive) return;
  of.waits_for_receive = false;
  receives_[receive].was_awaited = true;
  const Picoseconds handshake = is_local(of.from, of.to) ? 0 : transport_->handshake();
  agenda_->at(agenda_->after(handshake), *this, handed_over, message);
}

void Matching::hand_over(std::uint32_t message) {
  const Message& of = messages_[message];
  if (!is_local(of.from, of.to)) return transport_->send(message);
  const double transfer = static_cast<double>(of.bytes) * network_->local_per_byte;
  const auto time =
      static_cast<Picoseconds>(std::llround(std::min(transfer, static_cast<double>(longest_time) / 2)));
  left(message, agenda_->now());
  agenda_->at(agenda_->after(network_->local_latency + time), *this, local_arrives, message);
}

void Matching::happen(std::uint32_t what, std::uint32_t which) {
  if (what == handed_over) return hand_over(which);
  arrived(which, messages_[which].bytes, true, agenda_->now());
}

void Matching::left(std::uint32_t message, Picoseconds at) {
  const Message& of = messages_[message];
  if (of.request == nothing || of.is_answered) return;
  tasks_->completed(of.from, of.request, at, receives_[of.receive].posted, of.send_began);
}

void Matching::arrived(std::uint32_t message, std::uint64_t bytes, bool is_last, Picoseconds at) {
  Message& of = messages_[message];
  of.arrived += bytes;
  of.has_arrived = is_last;
  of.arrival = std::max(of.arrival, at);
  // A server accepts it with or without a receive; the answer takes half the time of a handshake.
  if (of.is_answered && is_last)
    tasks_->completed(of.from, of.request, at + transport_->handshake() / 2, 0, of.send_began);
  if (of.receive != nothing) {
    if (is_last) ready(of.receive, at);
    return;
  }
  Channel& channel = channels_[key_of(of)];
  channel.available += bytes;
  try_partial(channel, false);
}

void Matching::try_partial(Channel& channel, bool is_posted_now) {
  while (!channel.receives.is_empty()) {
    const std::uint32_t receive = channel.receives.first;
    if (!receives_[receive].is_partial || receives_[receive].bytes > channel.available) return;
    channel.receives.pop(receives_);
    consume(channel, receive, is_posted_now);
  }
}

void Matching::consume(Channel& channel, std::uint32_t receive, bool is_late) {
  Receive& of = receives_[receive];
  std::uint64_t left = of.bytes;
  Picoseconds at = agenda_->now();
  channel.available -= left;
  while (!channel.messages.is_empty()) {
    Message& message = messages_[channel.messages.first];
    const std::uint64_t part = std::min(left, message.arrived - message.consumed);
    message.consumed += part;
    left -= part;
    if (part > 0) {
      of.partner_began = message.send_began;
      at = std::max(at, message.arrival);
    }
    if (!message.has_arrived || message.consumed < message.bytes) break;
    free(channel.messages.pop(messages_));
  }
  if (is_late && at <= agenda_->now()) return ready_late(receive, at);
  ready(receive, at);
}

// The bytes arrived before the receive was posted, so the remaining work (TCP's) begins with the receive.
void Matching::ready_late(std::uint32_t receive, Picoseconds at) {
  receives_[receive].was_awaited = true;
  ready(receive, at);
}

void Matching::ready(std::uint32_t receive, Picoseconds at) {
  const Receive& of = receives_[receive];
  if (is_local(of.from, of.task)) return processed(receive, at);
  transport_->process(receive, at);
}

void Matching::processed(std::uint32_t receive, Picoseconds at) {
  const Receive of = receives_[receive];
  if (of.message != nothing) {
    bytes_received_ += messages_[of.message].bytes;
    free(of.message);
  } else {
    bytes_received_ += of.bytes;
  }
  receives_.give_back(receive);
  tasks_->completed(of.task, of.request, at, of.partner_began, of.was_awaited ? of.posted : 0);
}

}  // namespace eventspace::whatif
