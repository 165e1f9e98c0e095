#include "tests/hosts/tcp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace eventspace::testing_hosts {
namespace {

constexpr std::chrono::seconds patience{30};

sockaddr_in address_of(const std::string& address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &result.sin_addr);
  return result;
}

FileHandle make_socket() {
  return FileHandle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool comes(const FileHandle& socket, short event, std::chrono::milliseconds time) {
  pollfd wanted{socket.get(), event, 0};
  return ::poll(&wanted, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace

FileHandle listen_at(const std::string& address, std::uint16_t port) {
  FileHandle socket = make_socket();
  const sockaddr_in place = address_of(address, port);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::listen(socket.get(), 16) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot listen at " + address);
  }
  return socket;
}

std::uint16_t port_of(const FileHandle& socket) {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &size);
  return ntohs(place.sin_port);
}

FileHandle accept_from(const FileHandle& listener, std::chrono::milliseconds time) {
  if (!comes(listener, POLLIN, time)) return FileHandle();
  return FileHandle(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

FileHandle connect_to(const std::string& address, std::uint16_t port, std::chrono::milliseconds time) {
  FileHandle socket = make_socket();
  const sockaddr_in place = address_of(address, port);
  const bool at_once = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  if (!at_once && (errno != EINPROGRESS || !comes(socket, POLLOUT, time))) return FileHandle();
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? std::move(socket) : FileHandle();
}

void send_all(const FileHandle& socket, std::string_view bytes) {
  while (!bytes.empty() && comes(socket, POLLOUT, patience)) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string receive(const FileHandle& socket, std::size_t bytes) {
  std::string result;
  std::array<char, 65536> buffer;
  while (result.size() < bytes && comes(socket, POLLIN, patience)) {
    const ssize_t count =
        ::recv(socket.get(), buffer.data(), std::min(buffer.size(), bytes - result.size()), 0);
    if (count <= 0) break;
    result.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return result;
}

}  // namespace eventspace::testing_hosts
