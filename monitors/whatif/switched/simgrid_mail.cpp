#include <cmath>
#include <utility>

#include "monitors/whatif/switched/simgrid_tasks.h"

namespace eventspace::whatif {

std::size_t SimgridMail::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = (std::uint64_t{key.from} << 32 | key.to) * 0x9e3779b97f4a7c15U;
  hash = (hash ^ hash >> 29 ^ (std::uint64_t{key.group} << 32 | key.tag)) * 0xbf58476d1ce4e5b9U;
  return hash ^ hash >> 32;
}

void SimgridMail::carry(Carried& message) const {
  message.comm =
      simgrid::s4u::Comm::sendto_async((*hosts_)[message.from], (*hosts_)[message.to], message.bytes);
}

void SimgridMail::meet(Carried& message, Posted& receive) const {
  message.posted = receive.at;
  if (!message.comm) carry(message);
  for (simgrid::s4u::Actor* const waits :
       {std::exchange(message.waits, nullptr), std::exchange(receive.waits, nullptr)})
    if (waits != nullptr) waits->resume();
}

std::shared_ptr<Carried> SimgridMail::send(const Key& key, std::uint64_t bytes, Picoseconds began,
                                           bool is_sync) {
  auto message = std::make_shared<Carried>(
      Carried{.from = key.from, .to = key.to, .bytes = bytes, .began = began, .is_sync = is_sync});
  if (!waits(bytes, is_sync)) carry(*message);
  return put(key, std::move(message));
}

std::shared_ptr<Carried> SimgridMail::send_at_once(const Key& key, std::uint64_t bytes, Picoseconds began) {
  auto message =
      std::make_shared<Carried>(Carried{.from = key.from, .to = key.to, .bytes = bytes, .began = began});
  carry(*message);
  return put(key, std::move(message));
}

void SimgridMail::answer(const Carried& message) const {
  simgrid::s4u::Comm::sendto((*hosts_)[message.to], (*hosts_)[message.from], 0);
}

std::shared_ptr<Carried> SimgridMail::put(const Key& key, std::shared_ptr<Carried> message) {
  ++messages_;
  bytes_ += message->bytes;
  const auto [place, is_new] = channels_.try_emplace(key);
  Channel& channel = place->second;
  if (channel.receives.empty()) {
    channel.messages.push_back(message);
    return message;
  }
  const auto receive = std::move(channel.receives.front());
  channel.receives.pop_front();
  if (channel.receives.empty()) channels_.erase(place);
  receive->message = message;
  meet(*message, *receive);
  return message;
}

std::shared_ptr<Posted> SimgridMail::receive(const Key& key) {
  auto receive = std::make_shared<Posted>();
  receive->at = static_cast<Picoseconds>(std::llround(simgrid::s4u::Engine::get_clock() * 1e12));
  const auto [place, is_new] = channels_.try_emplace(key);
  Channel& channel = place->second;
  if (channel.messages.empty()) {
    channel.receives.push_back(receive);
    return receive;
  }
  receive->message = std::move(channel.messages.front());
  channel.messages.pop_front();
  if (channel.messages.empty()) channels_.erase(place);
  meet(*receive->message, *receive);
  return receive;
}

}  // namespace eventspace::whatif
