#include "pathmaps/jobs/reachable.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include <eventspace/deadline.h>
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

/// A connection attempt.
struct Attempt {
  std::size_t node;
  const std::string* address;
  FileHandle socket;
};

FileHandle begin_connection(const std::string& address, std::uint16_t port) {
  FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  if (!socket.valid() || ::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) return {};
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS)
    return {};
  return socket;
}

bool is_connected(const FileHandle& socket) {
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
}

// Removes the decided attempts.
void keep_undecided(std::vector<Attempt>& attempts, int pause_ms, std::vector<std::string>& found) {
  std::vector<pollfd> polled;
  polled.reserve(attempts.size());
  for (const Attempt& attempt : attempts) polled.push_back({attempt.socket.get(), POLLOUT, 0});
  if (::poll(polled.data(), polled.size(), pause_ms) <= 0) return;
  std::vector<Attempt> left;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (polled[i].revents == 0)
      left.push_back(std::move(attempts[i]));
    else if (is_connected(attempts[i].socket) && found[attempts[i].node].empty())
      found[attempts[i].node] = *attempts[i].address;
  }
  std::erase_if(left, [&](const Attempt& attempt) { return !found[attempt.node].empty(); });
  attempts = std::move(left);
}

}  // namespace

std::vector<std::string> reachable_addresses(const std::vector<JobNode>& nodes,
                                             std::chrono::milliseconds patience) {
  constexpr std::size_t max_at_once = 256;
  std::vector<std::string> found(nodes.size());
  std::vector<Attempt> attempts;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& address : nodes[i].addresses) attempts.push_back({i, &address, {}});
  const Deadline deadline = Deadline::after(patience);
  std::vector<Attempt> under_way;
  for (std::size_t next = 0; next < attempts.size() || !under_way.empty();) {
    for (; next < attempts.size() && under_way.size() < max_at_once; ++next) {
      Attempt& attempt = attempts[next];
      attempt.socket = begin_connection(*attempt.address, nodes[attempt.node].port);
      if (attempt.socket.valid()) under_way.push_back(std::move(attempt));
    }
    if (deadline.passed()) break;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.left());
    keep_undecided(under_way, static_cast<int>(left.count()), found);
  }
  return found;
}

}  // namespace eventspace
