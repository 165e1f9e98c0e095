#pragma once

// How event loops wait.

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <vector>

#include <eventspace/operation.h>
#include "paths/sockets/loop_socket.h"

namespace eventspace {

/// The time until `deadline`, but at most `longest`. Rounded up, so that a wait does not end before the
/// deadline.
[[nodiscard]] std::chrono::milliseconds time_until(Deadline deadline, std::chrono::milliseconds longest);

/// Waits for sockets and descriptors together. A wait takes one system call, and one more for each socket
/// that is not drained (LoopSocket); zmq_poll would query every socket before and after it sleeps. Not
/// thread-safe.
///
///     poll.clear();
///     const InputPoll::Place requests = poll.add(socket);
///     poll.wait(longest);
///     if (poll.has_news(requests)) receive_all();
class InputPoll {
 public:
  /// The index of an added socket or descriptor; valid until the next clear().
  using Place = std::size_t;
  static constexpr Place nowhere = static_cast<Place>(-1);  ///< never has news

  void clear() noexcept;
  /// `events`: ZMQ_POLLIN, ZMQ_POLLOUT or both.
  Place add(LoopSocket& socket, short events = ZMQ_POLLIN);
  Place add(int descriptor);

  /// Blocks until there is news or the process handles a signal, for at most `longest`. Throws
  /// EnvironmentError if poll(2) fails.
  void wait(std::chrono::milliseconds longest);

  /// Whether there may be a message to receive, or room to send, at `place`. False for `nowhere`.
  [[nodiscard]] bool has_news(Place place) const noexcept;

  /// The added descriptors, and whether one of their sockets was already ready then. For LoopDescriptor.
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] bool any_ready() const noexcept { return any_ready_; }

 private:
  Place add(int descriptor, bool ready);

  std::vector<pollfd> items_;
  std::vector<bool> ready_;
  bool any_ready_{false};
};

}  // namespace eventspace
