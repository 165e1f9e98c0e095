#include "paths/server/replies.h"

#include <fmt/format.h>

#include <utility>
#include <zmq.hpp>

namespace eventspace {

using wire::Fault;

void Replies::send(const std::string& peer, wire::Message message, std::size_t bytes_ahead) {
  if (message.size() + bytes_ahead > max_message_bytes_) {
    wire::ParsedHeader parsed = wire::parse_header(message, message.size());
    parsed.fault = Fault::oversized;
    return refuse_message(peer, parsed, message.size() + bytes_ahead);
  }
  if (!transmit(peer, std::move(message))) ServerCounters::add(counters_->undeliverable);
}

bool Replies::send_part(const std::string& peer, wire::Message part) {
  return transmit(peer, std::move(part));
}

bool Replies::send_unasked(const std::string& peer, wire::Message message) {
  return message.size() <= max_message_bytes_ && transmit(peer, std::move(message));
}

void Replies::send(const Asked& asked, wire::Message message, std::size_t bytes_ahead) {
  if (asked.received_ns) wire::set_times(message, {*asked.received_ns, clock_->now_ns(), clock_->identity()});
  send(asked.peer, std::move(message), bytes_ahead);
}

void Replies::refuse(const std::string& peer, std::uint64_t id, Fault fault, const std::string& text) {
  counters_->refuse(fault);
  send(peer, wire::encode(id, wire::Failure{fault, text}));
}

void Replies::refuse_message(const std::string& peer, const wire::ParsedHeader& parsed, std::size_t size) {
  refuse(peer, parsed.header.id, *parsed.fault, describe(parsed, size));
}

std::string Replies::describe(const wire::ParsedHeader& parsed, std::size_t size) const {
  switch (*parsed.fault) {
    case Fault::version:
      return fmt::format(
          "this server speaks version {} of the protocol, and the message is of version {}; use "
          "the same version of EventSpace for both",
          wire::protocol_version, parsed.version);
    case Fault::oversized:
      return fmt::format("a message of {} bytes; `limits: message` allows {}", size, max_message_bytes_);
    default:
      return fmt::format("the message is malformed ({})", wire::to_string(*parsed.fault));
  }
}

bool Replies::reaches(const std::string& peer) {
  return deliver(peer, wire::encode(wire::Kind::closed, 0)) != Delivery::peer_is_gone;
}

const LoopSocket::Account& Replies::account_of(const std::string& peer) {
  constexpr std::size_t many = 100'000;  // peers that were never known, and so are not forgotten
  if (held_.size() > many) std::erase_if(held_, [](const auto& entry) { return *entry.second == 0; });
  LoopSocket::Account& account = held_[peer];
  if (account == nullptr) account = std::make_shared<std::atomic<std::size_t>>(0);
  return account;
}

bool Replies::transmit(const std::string& peer, wire::Message message) {
  return deliver(peer, std::move(message)) == Delivery::sent;
}

// ZMQ_ROUTER_MANDATORY makes the send throw if the peer is gone.
Replies::Delivery Replies::deliver(const std::string& peer, wire::Message message) {
  constexpr std::size_t large = 1024;  // the others are bounded by their number
  const LoopSocket::Account account = message.size() < large ? nullptr : account_of(peer);
  if (account != nullptr && *account + message.size() > messages_at_once * max_message_bytes_)
    return Delivery::queue_is_full;
  try {
    const bool is_sent = router_->send(zmq::buffer(peer), zmq::send_flags::sndmore) &&
                         router_->send(std::move(message), account);
    return is_sent ? Delivery::sent : Delivery::queue_is_full;
  } catch (const zmq::error_t&) {
    return Delivery::peer_is_gone;
  }
}

}  // namespace eventspace
