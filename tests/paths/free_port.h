#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>

namespace eventspace::test {

/// A port of this machine that nothing is bound to just now.
inline std::uint16_t unbound_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

/// Such a port, and another one at each call.
inline std::uint16_t free_port() {
  static std::set<std::uint16_t> given;
  std::uint16_t port = unbound_port();
  while (!given.insert(port).second) port = unbound_port();
  return port;
}

inline std::string local_endpoint(std::uint16_t port) { return "tcp://127.0.0.1:" + std::to_string(port); }

}  // namespace eventspace::test
