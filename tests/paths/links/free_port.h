#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace eventspace::test {

/// Whether nothing is bound to this port of loopback just now.
inline bool is_unbound(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return bound;
}

/// Reserves a port for this process until it ends; returns false if another test has reserved it. The
/// reservation is the name of an abstract socket, which vanishes with its process however that ends.
inline bool reserve(std::uint16_t port) {
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "eventspace-test-port-" + std::to_string(port);
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // behind a zero: no file
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
  ::close(socket);
  return false;
}

/// Returns a port that no socket is bound to and no other test uses; another one at each call. It is below
/// the ephemeral ports (from 32768 on, ip(7)): an ephemeral port could be given to another process's
/// connection before the server of the test listens.
inline std::uint16_t free_port() {
  constexpr unsigned first = 20'000;
  constexpr unsigned count = 12'000;
  static std::atomic<unsigned> next{static_cast<unsigned>(::getpid()) * 64};  // far from other tests
  for (unsigned tried = 0; tried < count; ++tried) {
    const auto port = static_cast<std::uint16_t>(first + next++ % count);
    if (reserve(port) && is_unbound(port)) return port;
  }
  throw std::runtime_error("no free port");
}

inline std::string local_endpoint(std::uint16_t port) { return "tcp://127.0.0.1:" + std::to_string(port); }

}  // namespace eventspace::test
