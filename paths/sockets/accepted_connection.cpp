#include "paths/sockets/accepted_connection.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

namespace eventspace {
namespace {

// The kernel subtracts the bytes read from a local connection from this offset (SO_PEEK_OFF), which is the
// only available counter.
constexpr int counter_start = std::numeric_limits<int>::max();

bool set_counter(int descriptor) noexcept {
  return ::setsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &counter_start, sizeof counter_start) == 0;
}

bool is_local(int descriptor) noexcept {
  int domain = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

std::optional<std::uint64_t> taken_from_tcp(int descriptor) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (size < offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return std::nullopt;
  int queued = 0;  // still in the kernel
  if (::ioctl(descriptor, SIOCINQ, &queued) != 0) return std::nullopt;
  const std::uint64_t received = info.tcpi_bytes_received;
  return received - std::min<std::uint64_t>(received, static_cast<std::uint64_t>(std::max(queued, 0)));
}

}  // namespace

ListenAddress::ListenAddress(const std::string& endpoint) {
  constexpr std::string_view local = "ipc://";
  if (endpoint.starts_with(local)) {
    path_ = endpoint.substr(local.size());
    if (path_.starts_with('@')) path_.front() = '\0';
    return;
  }
  const std::size_t colon = endpoint.rfind(':');
  if (colon != std::string::npos)
    std::from_chars(endpoint.data() + colon + 1, endpoint.data() + endpoint.size(), port_);
}

bool ListenAddress::accepted(int descriptor) const noexcept {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  if (address.ss_family == AF_UNIX) {
    const auto& local = reinterpret_cast<const sockaddr_un&>(address);
    const std::size_t room = size - std::min<std::size_t>(size, offsetof(sockaddr_un, sun_path));
    const bool is_abstract = room > 0 && local.sun_path[0] == '\0';
    const std::size_t length = is_abstract ? room : ::strnlen(local.sun_path, room);
    return !path_.empty() && path_ == std::string_view(local.sun_path, length);
  }
  if (port_ == 0) return false;
  if (address.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port) == port_;
  return address.ss_family == AF_INET6 &&
         ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port) == port_;
}

ReceivedBytes::ReceivedBytes(int descriptor) noexcept : local_(is_local(descriptor)) {
  if (local_) (void)set_counter(descriptor);
}

std::optional<std::uint64_t> ReceivedBytes::so_far(int descriptor) noexcept {
  if (!local_) return taken_from_tcp(descriptor);
  int left = 0;
  socklen_t size = sizeof left;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &left, &size) != 0 || left < 0) return std::nullopt;
  const std::uint64_t taken = before_ + static_cast<std::uint64_t>(counter_start - left);
  if (left < counter_start / 2 && set_counter(descriptor)) before_ = taken;
  return taken;
}

// With a duplicate descriptor, another file cannot take the connection's number between the check and the
// shutdown. Without free descriptors it could, in the time of a few instructions.
void cut_off(int descriptor, const ListenAddress& address) noexcept {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  const int checked = own >= 0 ? own : descriptor;
  if (address.accepted(checked)) ::shutdown(checked, SHUT_RDWR);
  if (own >= 0) ::close(own);
}

}  // namespace eventspace
