#pragma once

// Keeps ZeroMQ out of network.h, which is installed.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "paths/links/network.h"
#include "paths/security/shared_context.h"

namespace eventspace {

struct Network::Context {
  std::shared_ptr<SharedContext> shared;
  zmq::context_t& zmq;
  std::mutex mutex;  // guards the next
  std::optional<Authenticator::Domain> domain;
};

/// Give a socket the keys of its network, if it has keys and the endpoint is tcp://. Called before the socket
/// connects or binds; the network must outlive the socket.
void secure_connecting(zmq::socket_t& socket, const std::string& endpoint, Network& network);
void secure_listening(zmq::socket_t& socket, const std::string& endpoint, Network& network);

}  // namespace eventspace
