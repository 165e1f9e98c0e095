#include "paths/server/connection_guard.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <eventspace/error.h>
#include "paths/sockets/free_descriptors.h"

namespace eventspace {
namespace {

constexpr std::chrono::milliseconds guard_pause{3};
constexpr std::chrono::milliseconds at_a_suspect{1};
constexpr std::chrono::milliseconds reserve_pause{200};
constexpr std::chrono::seconds longest_silence{3};
constexpr std::chrono::seconds longest_unproven{10};
constexpr std::chrono::milliseconds until_freed{50};  // by ZeroMQ's thread
// The overhead of a message: frames, encryption, and the tolerance above the limit that ZeroMQ accepts so
// that a slightly too large message is answered with an error.
constexpr std::uint64_t above_a_message = 2u << 20;
constexpr std::uint64_t at_once = 4;          // messages
constexpr std::uint64_t framing = 64;         // bytes of one message
constexpr std::uint64_t greeting_bytes = 64;  // of ZeroMQ's protocol

}  // namespace

ConnectionGuard::ConnectionGuard(Limits limits, const std::string& endpoint)
    : limits_(limits),
      one_message_(limits.message_bytes + above_a_message),
      address_(endpoint),
      set_(::epoll_create1(EPOLL_CLOEXEC)),
      reserve_(::eventfd(0, EFD_CLOEXEC)) {
  if (!set_.valid() || !reserve_.valid())
    throw EnvironmentError::from_errno("cannot watch connections", errno);
}

void ConnectionGuard::watch(int descriptor, int how) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.fd = descriptor;
  // Fails if the connection has ended; then there is nothing to watch.
  (void)::epoll_ctl(set_.get(), how, descriptor, &event);
}

void ConnectionGuard::accepted(int descriptor) {
  ended(descriptor);
  if (!address_.accepted(descriptor)) return;  // already gone
  connections_.emplace(descriptor, Connection(descriptor));
  unproven_.push_back(descriptor);
  if (!reserve_.valid()) return cut(descriptor);
  watch(descriptor, EPOLL_CTL_ADD);
  const bool is_full = connections_.size() > limits_.connections + max_unproven;
  if (is_full || has_few_descriptors()) {
    cut(longest_silent().value_or(unproven_.front()));
  } else if (unproven_.size() > max_unproven) {
    cut_overdue();
  }
}

// The number of free descriptors cannot be queried. Trying takes some system calls, so it is done only with
// many connections.
bool ConnectionGuard::has_few_descriptors() const {
  constexpr rlim_t others = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || connections_.size() + others < limit.rlim_cur / 2)
    return false;
  return !can_open_descriptors(spare_descriptors);
}

void ConnectionGuard::ended(int descriptor) {
  const auto found = connections_.find(descriptor);
  if (found == connections_.end()) return;
  if (!found->second.proven) std::erase(unproven_, descriptor);
  connections_.erase(found);
}

void ConnectionGuard::received(int descriptor, std::size_t bytes) {
  const auto found = connections_.find(descriptor);
  if (found != connections_.end()) found->second.delivered += bytes + framing;
}

void ConnectionGuard::proved(int descriptor) {
  const auto found = connections_.find(descriptor);
  if (found == connections_.end() || found->second.proven) return;
  found->second.proven = true;
  std::erase(unproven_, descriptor);
}

// ZeroMQ's thread closes the descriptor and reports the end, which calls ended().
void ConnectionGuard::cut(int descriptor) {
  ++cut_;
  cut_off(descriptor, address_);
  ended(descriptor);
}

// Many clients that start at once are also slow, so each connection has some time.
void ConnectionGuard::cut_overdue() {
  const auto now = Clock::now();
  const auto age = [&](int descriptor) { return now - connections_.at(descriptor).since; };
  const std::optional<int> silent = longest_silent();
  if (silent && age(*silent) > longest_silence) {
    cut(*silent);
  } else if (age(unproven_.front()) > longest_unproven) {
    cut(unproven_.front());
  }
}

// Not the newest connection: it has just come.
std::optional<int> ConnectionGuard::longest_silent() {
  const auto is_silent = [this](int descriptor) {
    Connection& connection = connections_.at(descriptor);
    return connection.bytes.so_far(descriptor).value_or(0) <= greeting_bytes;
  };
  const auto end =
      unproven_.begin() + static_cast<std::ptrdiff_t>(std::min(unproven_.size() - 1, max_unproven));
  const auto silent = std::find_if(unproven_.begin(), end, is_silent);
  return silent == end ? std::nullopt : std::optional(*silent);
}

void ConnectionGuard::look() {
  look_at_reserve();
  if (give_back_.passed()) give_memory_back();
  if (!awaits_reports() && !next_look_.passed()) return;
  take_reports();
  if (!next_look_.passed()) return;
  next_look_ = Deadline::never();
  for (const int descriptor : std::exchange(asleep_, {})) {
    const auto found = connections_.find(descriptor);
    if (found == connections_.end() || !found->second.asleep) continue;
    found->second.asleep = false;
    watch(descriptor, EPOLL_CTL_MOD);  // reported at once if there is something to receive
    examine(descriptor, found->second);
  }
  bound_sum();
}

// Without a descriptor ZeroMQ cannot accept a connection, and tries again without a pause.
void ConnectionGuard::look_at_reserve() {
  const auto now = Clock::now();
  if (now < looked_at_reserve_ + reserve_pause) return;
  looked_at_reserve_ = now;
  if (can_open_descriptors(reserve_.valid() ? 1 : 2)) {
    if (!reserve_.valid()) reserve_ = FileHandle(::eventfd(0, EFD_CLOEXEC));
  } else {
    reserve_ = FileHandle();
  }
}

void ConnectionGuard::take_reports() {
  std::array<epoll_event, 64> events;
  int count = 0;
  do {  // ends, as each connection is reported once
    count = ::epoll_wait(set_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
      const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      const auto found = connections_.find(descriptor);
      if (found == connections_.end() || std::exchange(found->second.asleep, true)) continue;
      asleep_.push_back(descriptor);
    }
  } while (count == static_cast<int>(events.size()));
  if (!asleep_.empty() && next_look_.is_never()) next_look_ = Deadline::after(guard_pause);
}

std::uint64_t ConnectionGuard::missing(const Connection& connection) noexcept {
  return connection.came - std::min(connection.came, connection.delivered);
}

void ConnectionGuard::examine(int descriptor, Connection& connection) {
  const auto came = connection.bytes.so_far(descriptor);
  if (!came) return;
  connection.came = *came;
  connection.delivered = std::min(connection.delivered, *came);  // `framing` is an upper bound
  const std::uint64_t less = missing(connection);
  const bool again = connection.suspected_at == connection.delivered;
  connection.suspected_at.reset();
  if (less <= one_message_) return;
  if (again || less > at_once * one_message_) {
    cut(descriptor);
    give_back_ = Deadline::after(until_freed);
    return;
  }
  connection.suspected_at = connection.delivered;
  next_look_ = earlier(next_look_, Deadline::after(at_a_suspect));
  connection.asleep = true;
  asleep_.push_back(descriptor);
}

void ConnectionGuard::bound_sum() {
  std::uint64_t sum = 0;
  for (const auto& [descriptor, connection] : connections_) sum += missing(connection);
  while (sum > at_once * one_message_) {
    const auto largest =
        std::ranges::max_element(connections_, {}, [](const auto& entry) { return missing(entry.second); });
    sum -= missing(largest->second);
    cut(largest->first);
    give_back_ = Deadline::after(until_freed);
  }
}

// The allocator keeps what ZeroMQ's thread has freed, up to 64 MiB for each thread.
void ConnectionGuard::give_memory_back() {
  give_back_ = Deadline::never();
  ::malloc_trim(0);
}

}  // namespace eventspace
