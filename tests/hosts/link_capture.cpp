#include "tests/hosts/link_capture.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace eventspace::testing_hosts {

LinkCapture::LinkCapture() : socket_(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL))) {
  if (!socket_.valid()) throw std::system_error(errno, std::generic_category(), "cannot capture packets");
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

std::string LinkCapture::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void LinkCapture::run(const std::stop_token& stop) {
  std::string packet(65536, '\0');
  while (!stop.stop_requested()) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const ssize_t bytes = ::recv(socket_.get(), packet.data(), packet.size(), 0);
    const std::lock_guard lock(mutex_);
    if (bytes > 0) seen_.append(packet, 0, static_cast<std::size_t>(bytes));
  }
}

}  // namespace eventspace::testing_hosts
