#include "monitors/running/page_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include <eventspace/deadline.h>

namespace eventspace {

bool send_message(int socket, PageMessage message) noexcept {
  return ::send(socket, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

std::optional<PageMessage> receive_message(int socket, std::chrono::milliseconds patience) noexcept {
  const Deadline limit = Deadline::after(patience);
  pollfd ready{socket, POLLIN, 0};
  int found = 0;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit.left());
    found = ::poll(&ready, 1, static_cast<int>(left.count()));
  } while (found < 0 && errno == EINTR);
  PageMessage message{};
  if (found <= 0 || ::recv(socket, &message, sizeof message, 0) != sizeof message) return std::nullopt;
  return message;
}

}  // namespace eventspace
