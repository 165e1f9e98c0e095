#include "tests/attacks/raw_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace eventspace::test {
namespace {

constexpr int a_moment_ms = 200;

int open_socket(int family) { return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

bool connect_at(int descriptor, const sockaddr* address, socklen_t size) {
  return descriptor >= 0 && (::connect(descriptor, address, size) == 0 || errno == EINPROGRESS);
}

bool connect_at(int descriptor, const std::string& endpoint) {
  const std::string rest = endpoint.substr(6);
  if (endpoint.starts_with("ipc://")) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    rest.copy(address.sun_path, sizeof address.sun_path - 1);
    return connect_at(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const std::size_t colon = rest.find(':');
  ::inet_pton(AF_INET, rest.substr(0, colon).c_str(), &address.sin_addr);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(rest.substr(colon + 1))));
  return connect_at(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// Version 3.0, no security.
std::array<std::byte, 64> greeting() {
  std::array<std::byte, 64> bytes{};
  bytes[0] = std::byte{0xff};
  bytes[9] = std::byte{0x7f};
  bytes[10] = std::byte{3};
  std::memcpy(bytes.data() + 12, "NULL", 4);
  return bytes;
}

std::vector<std::byte> ready() {
  constexpr char body[] =
      "\x05READY\x0bSocket-Type\0\0\0\x06"
      "DEALER\x08Identity\0\0\0\0";
  constexpr std::size_t size = sizeof body - 1;
  std::vector<std::byte> command{std::byte{4}, static_cast<std::byte>(size)};
  const auto* const first = reinterpret_cast<const std::byte*>(body);
  command.insert(command.end(), first, first + size);
  return command;
}

}  // namespace

RawPeer::RawPeer(const std::string& endpoint)
    : descriptor_(open_socket(endpoint.starts_with("ipc://") ? AF_UNIX : AF_INET)) {
  if (!connect_at(descriptor_, endpoint) && descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}
RawPeer::RawPeer() : descriptor_(open_socket(AF_INET)) {}
bool RawPeer::connect(const std::string& endpoint) { return connect_at(descriptor_, endpoint); }
RawPeer::~RawPeer() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
RawPeer::RawPeer(RawPeer&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

bool RawPeer::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != ENOTCONN) return false;
    pollfd room{descriptor_, POLLOUT | POLLRDHUP, 0};
    if (::poll(&room, 1, a_moment_ms) <= 0) return true;  // the other end does not read
    if ((room.revents & (POLLERR | POLLHUP | POLLRDHUP)) != 0) return false;
  }
  return true;
}

bool RawPeer::begin_greeting(std::size_t bytes) {
  const auto whole = greeting();
  return send(std::span(whole).first(std::min(bytes, whole.size())));
}

bool RawPeer::shake_hands() {
  const auto command = ready();
  if (!is_open() || !begin_greeting(64) || !send(command)) return false;
  pollfd news{descriptor_, POLLIN, 0};
  std::array<std::byte, 512> heard;
  std::size_t count = 0;
  while (count < 64 + 20 && ::poll(&news, 1, 5000) > 0) {
    const ssize_t more = ::recv(descriptor_, heard.data(), heard.size(), 0);
    if (more <= 0) return false;
    count += static_cast<std::size_t>(more);
  }
  return count >= 64 + 20;
}

bool RawPeer::announce(std::uint64_t size, bool more) {
  std::array<std::byte, 9> header{};
  header[0] = more ? std::byte{3} : std::byte{2};
  for (std::size_t i = 0; i < 8; ++i) header[1 + i] = static_cast<std::byte>(size >> (56 - 8 * i));
  return send(header);
}

bool RawPeer::was_ended() {
  pollfd news{descriptor_, POLLIN | POLLRDHUP, 0};
  for (std::array<std::byte, 512> heard; ::poll(&news, 1, a_moment_ms) > 0;) {
    if (::recv(descriptor_, heard.data(), heard.size(), 0) <= 0) return true;
  }
  return false;
}

}  // namespace eventspace::test
