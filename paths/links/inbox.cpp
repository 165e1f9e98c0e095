#include "paths/links/inbox.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <zmq.hpp>

namespace eventspace {

void Inbox::file(zmq::message_t& received) {
  const std::size_t max_bytes = network_->limits().message_bytes;
  const Bytes here(received.data<std::byte>(), received.size());
  if (wire::may_be_unasked(here)) {  // it is consumed in this call, so it need not be copied
    const wire::ParsedHeader parsed = wire::parse_header(here, max_bytes);
    if (!parsed.fault) return file_unasked(parsed);
  }
  // Small messages are stored inside message_t and move with it, so take the address after the move.
  const auto kept = std::make_shared<zmq::message_t>(std::move(received));
  const Bytes message(kept->data<std::byte>(), kept->size());
  file(wire::parse_header(message, max_bytes), kept);
}

void Inbox::file(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message) {
  const std::uint64_t arrived_ns = parsed.times ? network_->clock().now_ns() : 0;
  if (parsed.times) connection_->note_reply(arrived_ns);
  if (parsed.fault) ++dropped_.malformed;
  if (parsed.fault == wire::Fault::version) return refuse_version(parsed.version);
  if (outbox_->comparison().is_ping(parsed.header.id)) return outbox_->answer_ping(parsed.times, arrived_ns);
  // Id 0 answers no request: the server tests whether this peer is connected (Replies::reaches).
  if (parsed.fault || parsed.header.id == 0) return;
  if (parsed.header.kind == wire::Kind::part) return file_part(parsed, std::move(message));
  OpenRequests::Request* const request = requests_->find_open(parsed.header.id);
  if (request == nullptr) {  // forgotten, or already answered
    ++dropped_.late;
    return;
  }
  if (parsed.times) outbox_->compare(*request, *parsed.times, arrived_ns);
  requests_->settle(*request, {parsed, std::move(message), connection_->number(), std::move(request->parts)});
}

void Inbox::file_part(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message) {
  OpenRequests::Request* const request = requests_->find_open(parsed.header.id);
  if (request == nullptr) return;
  if (!requests_->add_part(*request, parsed, std::move(message))) ++dropped_.malformed;
}

void Inbox::file_unasked(const wire::ParsedHeader& parsed) {
  switch (listeners_->deliver(parsed)) {
    case TargetListeners::Delivery::done:
      break;
    case TargetListeners::Delivery::late:
      ++dropped_.late;
      break;
    case TargetListeners::Delivery::malformed:
      ++dropped_.malformed;
      break;
  }
}

// Answers in place of a server whose messages cannot be read. Its id may be at another place, so the request
// that a message answers is unknown.
void Inbox::refuse_version(std::uint8_t version) {
  const std::string text = fmt::format(
      "the server at {} speaks version {} of the protocol, this program version {}; use the same version of "
      "EventSpace for both, and start the server again",
      connection_->endpoint(), version, wire::protocol_version);
  outbox_->forget_ping();
  requests_->refuse(OpenRequests::Which::sent, {wire::Fault::version, text}, connection_->number());
  outbox_->end_comparison();
}

}  // namespace eventspace
