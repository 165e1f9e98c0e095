#include "scopes/streams/launching/listening.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include <eventspace/error.h>
#include "scopes/streams/launching/started_process.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::streams {
namespace {

std::uint16_t free_port() {
  const FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t bytes = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!socket.valid() || ::bind(socket.get(), any, bytes) != 0 ||
      ::getsockname(socket.get(), any, &bytes) != 0)
    throw EnvironmentError::from_errno("cannot find a free port", errno);
  return ntohs(address.sin_port);
}

bool is_address(const std::string& host) {
  in_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

// A host without a name is reachable from this machine only.
std::string address_for(const std::string& host) {
  return host.empty() || host == "any" || host == "localhost" ? "127.0.0.1" : host;
}

}  // namespace

void listen_at_free_port(const std::string& host, const std::function<void(const Listening&)>& listen) {
  constexpr int attempts = 10;
  const std::string address = address_for(host);
  for (int attempt = 1;; ++attempt) {
    const std::uint16_t port = free_port();
    try {
      return listen({fmt::format("tcp://{}:{}", is_address(address) ? address : "0.0.0.0", port),
                     fmt::format("tcp://{}:{}", address, port)});
    } catch (const EnvironmentError&) {
      if (attempt == attempts) throw;
    }
  }
}

}  // namespace eventspace::streams
