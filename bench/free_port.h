#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace eventspace::bench {

/// A TCP port of loopback that nothing listens on just now.
inline std::uint16_t free_port() {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(handle, generic, size) == 0 && getsockname(handle, generic, &size) == 0;
  close(handle);
  if (!bound) throw std::runtime_error("no TCP port is free");
  return ntohs(address.sin_port);
}

}  // namespace eventspace::bench
