#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "paths/bodies/element_layouts.h"
#include "paths/wire/wire.h"
#include "tests/paths/links/free_port.h"

namespace eventspace::test {

/// A server whose replies the test sends; its destruction ends all connections.
class RawServer {
 public:
  explicit RawServer(std::uint16_t port, zmq::socket_type type = zmq::socket_type::router)
      : socket_(context_, type) {
    socket_.bind(local_endpoint(port));
  }

  /// Receives the next request, if any.
  std::optional<wire::Kind> hear() {
    zmq::message_t peer;
    zmq::message_t message;
    if (!socket_.recv(peer, zmq::recv_flags::dontwait) || !socket_.recv(message)) return std::nullopt;
    peer_ = peer.to_string();
    const wire::ParsedHeader parsed =
        wire::parse_header({static_cast<const std::byte*>(message.data()), message.size()}, 1u << 20);
    id_ = parsed.header.id;
    heard_.assign(parsed.envelope.begin(), parsed.envelope.end());
    return parsed.header.kind;
  }
  /// Waits briefly until one of the servers has a request.
  static void wait_for_any(std::initializer_list<RawServer*> servers) {
    std::vector<zmq::pollitem_t> items;
    for (RawServer* const server : servers) items.push_back({server->socket_.handle(), 0, ZMQ_POLLIN, 0});
    zmq::poll(items, std::chrono::milliseconds(50));
  }
  /// Answers the last request.
  template <class Body>
  void answer(const Body& body) {
    say(wire::encode(id_, body));
  }

  /// Answers the last request, an operation on an element, with the tuple of that number.
  void answer_with_tuple(std::uint64_t sequence, const Tuple& tuple = {}) {
    wire::Message reply = wire::encode(id_, wire::Done{});
    wire::append(reply, wire::ElementReply{sequence, 0, tuple.encoded()});
    wire::seal(reply);
    say(reply);
  }

  /// Answers the last request like a server with another version of the protocol. Such a server need not have
  /// its ids at the same place, so this id is meaningless.
  void answer_in_version(std::uint8_t version) {
    wire::Message reply = wire::encode(0, wire::Opened{id_});
    reply[4] = static_cast<std::byte>(version);
    say(reply);
  }

  /// Sends any bytes to the peer of the last request.
  void say(const wire::Message& bytes) {
    socket_.send(zmq::buffer(peer_), zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(bytes), zmq::send_flags::none);
  }
  /// The envelope of the last request, and its number.
  [[nodiscard]] const wire::Message& heard() const { return heard_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
  std::string peer_;
  std::uint64_t id_{0};
  wire::Message heard_;
};

}  // namespace eventspace::test
