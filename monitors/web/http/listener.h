#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <filesystem>

#include "monitors/web/http/connection.h"
#include "monitors/web/http/server.h"

namespace eventspace::web {

/// Accepts the connections of a server, at a port or a local socket. Used by one thread.
class Listener {
 public:
  /// Throws as Server does. `hub` must outlive it.
  Listener(boost::asio::io_context& context, const ServerSettings& settings, Hub& hub);
  ~Listener();  ///< removes the local socket
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void start() { accept(); }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  using Protocol = boost::asio::generic::stream_protocol;

  void listen_at_port(const ServerSettings& settings);
  void listen_at_socket();
  void accept();
  void take(SocketStream stream);

  Hub* hub_;
  boost::asio::basic_socket_acceptor<Protocol> acceptor_;
  boost::asio::steady_timer retry_;
  std::filesystem::path socket_;
  std::uint16_t port_{0};
};

}  // namespace eventspace::web
