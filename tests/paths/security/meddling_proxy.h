#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "tuplespace/system/mapping.h"

namespace eventspace::test {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline FileHandle connect_to(std::uint16_t port) {
  FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

/// An attacker in the middle of a connection over TCP: changes the bytes, or cuts the connection, and keeps a
/// copy of the client's bytes. One connection at a time.
class MeddlingProxy {
 public:
  enum class Way : std::uint8_t { to_server, to_client };
  /// May change the bytes; `offset` is the offset of the first byte in its direction of the connection.
  /// Returns false to cut the connection before them.
  using Meddle = std::function<bool(Way way, std::uint64_t offset, std::string& bytes)>;

  MeddlingProxy(std::uint16_t server, Meddle meddle)
      : server_(server),
        meddle_(std::move(meddle)),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t bytes = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), any, bytes) != 0 || ::listen(listener_.get(), 8) != 0 ||
        ::getsockname(listener_.get(), any, &bytes) != 0)
      throw std::runtime_error("the proxy cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// The bytes that the client of the last connection sent.
  [[nodiscard]] std::string sent() const {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  [[nodiscard]] int connections() const noexcept { return connections_; }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{listener_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const FileHandle client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      const FileHandle server = connect_to(server_);
      if (client.valid() && server.valid()) forward(client, server, stop);
    }
  }

  void forward(const FileHandle& client, const FileHandle& server, const std::stop_token& stop) {
    ++connections_;
    {
      const std::lock_guard lock(mutex_);
      sent_.clear();
    }
    std::array<std::uint64_t, 2> passed{};
    while (!stop.stop_requested()) {
      std::array<pollfd, 2> ends{{{client.get(), POLLIN, 0}, {server.get(), POLLIN, 0}}};
      if (::poll(ends.data(), ends.size(), 20) < 0) return;
      for (const Way way : {Way::to_server, Way::to_client}) {
        const bool up = way == Way::to_server;
        if (ends[up ? 0 : 1].revents == 0) continue;
        if (!pass(up ? client : server, up ? server : client, way, passed[up ? 0 : 1])) return;
      }
    }
  }

  bool pass(const FileHandle& from, const FileHandle& to, Way way, std::uint64_t& offset) {
    std::string bytes(65536, '\0');
    const ssize_t got = ::recv(from.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    bytes.resize(static_cast<std::size_t>(got));
    if (way == Way::to_server) {
      const std::lock_guard lock(mutex_);
      sent_ += bytes;
    }
    if (!meddle_(way, offset, bytes)) return false;
    offset += bytes.size();
    return ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }

  std::uint16_t server_;
  Meddle meddle_;
  FileHandle listener_;
  std::uint16_t port_{0};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;  // guards the next
  std::string sent_;
  std::jthread thread_;
};

}  // namespace eventspace::test
