#include "paths/links/server_connection.h"

#include <fmt/format.h>

#include <exception>
#include <utility>
#include <zmq.hpp>

#include <eventspace/error.h>
#include "paths/links/handshake_refusal.h"
#include "paths/links/local_endpoint.h"
#include "paths/links/network_context.h"
#include "paths/sockets/connection_events.h"
#include "paths/sockets/descriptor_set.h"
#include "paths/sockets/free_descriptors.h"
#include "paths/sockets/loop_socket.h"

namespace eventspace {
namespace {

constexpr int made_and_ended = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                               ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                               ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

// Without ZMQ_IMMEDIATE, which would discard received but unread replies when the connection ends.
LoopSocket make_dealer(Network& network, const std::string& endpoint) {
  require_descriptors(descriptors_of_a_socket, fmt::format("a connection to {}", endpoint));
  LoopSocket dealer(network.context().zmq, zmq::socket_type::dealer);
  zmq::socket_t& socket = dealer.zmq();
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::reconnect_ivl_max, 500);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(network.limits().message_bytes));
  socket.set(zmq::sockopt::sndhwm, static_cast<int>(network.limits().queued_messages));
  socket.set(zmq::sockopt::rcvhwm, static_cast<int>(network.limits().queued_messages));
  dealer.notice_vanished_hosts();
  secure_connecting(socket, endpoint, network);
  return dealer;
}

}  // namespace

/// Lives as long as its first connection. ZeroMQ reconnects on its own, so a request that is handed over
/// before this thread notices the loss may be sent on the second connection; it is reported as lost anyway.
/// That is harmless: to the server, the second connection is another peer without open targets, so it refuses
/// operations; a target that such a request opens is freed when the lease ends. So a request may be reported
/// as lost although it was sent, but a loss is never missed: nothing is handed to this socket after the event
/// of the end of its first connection was read.
struct ServerConnection::Socket {
  Socket(Network& network, const std::string& endpoint, DescriptorSet* connections)
      : requests(make_dealer(network, endpoint)), events(network.context().zmq, requests, made_and_ended) {
    try {
      requests.zmq().connect(address_of(endpoint, network.session()));
    } catch (const zmq::error_t& error) {
      throw ConfigurationError(fmt::format(
          "cannot connect to '{}': {}; an endpoint looks like tcp://HOST:PORT", endpoint, error.what()));
    }
    if (connections != nullptr) member.emplace(*connections, events.socket().descriptor());
  }
  /// Whether the descriptor set becomes readable at the next event in any case.
  [[nodiscard]] bool covered_by_set() noexcept { return member && events.socket().is_drained(); }

  LoopSocket requests;
  ConnectionEvents events;
  std::optional<DescriptorSet::Member> member;
};

ServerConnection::ServerConnection(Network& network, std::string endpoint, DescriptorSet* connections)
    : network_(&network),
      endpoint_(std::move(endpoint)),
      connections_(connections),
      socket_(std::make_unique<Socket>(network, endpoint_, connections_)),
      opened_(Clock::now()) {}

ServerConnection::~ServerConnection() = default;

std::optional<ServerConnection::News> ServerConnection::next_news() {
  while (socket_) {
    const auto event = socket_->events.next();
    if (!event) return std::nullopt;
    if (event->kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
      established_ = true;
      failed_handshakes_ = 0;
    } else if (event->kind != ZMQ_EVENT_DISCONNECTED) {
      const FailedHandshake failed{event->kind, event->value, ++failed_handshakes_};
      std::string refusal = refusal_by(endpoint_, failed, network_->security());
      if (!refusal.empty()) return News{false, std::move(refusal)};
    } else if (established_) {
      return News{true, {}};
    } else {
      socket_.reset();  // another program listens there: ZeroMQ stops trying after some failed handshakes
    }
  }
  reopen();
  return std::nullopt;
}

void ServerConnection::reopen() {
  if (ended_ || Clock::now() < opened_ + between_connections) return;
  opened_ = Clock::now();
  try {
    socket_ = std::make_unique<Socket>(*network_, endpoint_, connections_);
  } catch (const std::exception&) {
    // The process has probably run out of descriptors. The next call tries again.
  }
}

void ServerConnection::end() {
  socket_.reset();
  established_ = false;
  replied_ns_ = 0;
  ended_ = network_->when_lost() == WhenLost::end;
  ++traffic_.lost_connections;
  ++number_;
}

bool ServerConnection::send(const wire::Message& message) {
  if (!established_ || !socket_->requests.send(zmq::buffer(message))) return false;
  traffic_.bytes_sent += message.size();
  ++traffic_.messages_sent;
  return true;
}

bool ServerConnection::receive(zmq::message_t& message) {
  return socket_ && note_received(socket_->requests.receive(message), message);
}

bool ServerConnection::receive_soon(zmq::message_t& message) {
  return socket_ && note_received(socket_->requests.receive_soon(message), message);
}

bool ServerConnection::note_received(bool received, const zmq::message_t& message) noexcept {
  if (!received) return false;
  traffic_.bytes_received += message.size();
  ++traffic_.messages_received;
  return true;
}

InputPoll::Place ServerConnection::add_events_to(InputPoll& poll, bool alone) {
  if (!socket_ || (!alone && socket_->covered_by_set())) return InputPoll::nowhere;
  return poll.add(socket_->events.socket());
}

InputPoll::Place ServerConnection::add_messages_to(InputPoll& poll, bool to_send) {
  if (!socket_) return InputPoll::nowhere;
  return poll.add(socket_->requests, static_cast<short>(ZMQ_POLLIN | (to_send ? ZMQ_POLLOUT : 0)));
}

bool ServerConnection::is_drained() const noexcept { return socket_ && socket_->requests.is_drained(); }

bool ServerConnection::has_replied_lately() const {
  constexpr std::uint64_t lately_ns = 1'000'000;
  return replied_ns_ != 0 && network_->clock().now_ns() < replied_ns_ + lately_ns;
}

}  // namespace eventspace
