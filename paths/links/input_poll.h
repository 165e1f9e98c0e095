#pragma once

// Private to paths/.
// How its loops wait.

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <vector>

#include "paths/links/loop_socket.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// Until `deadline`, rounded up, so that a wait never ends before it; `longest` at most.
[[nodiscard]] std::chrono::milliseconds time_until(Deadline deadline, std::chrono::milliseconds longest);

/// Waits for sockets and descriptors together, with one call of the system a wait, and one for each socket
/// that has to be asked first; zmq_poll asks every socket before and after it sleeps. For each wait: clear,
/// add all that is waited for, wait, ask what has news.
class InputPoll {
 public:
  /// The place of something added, until the next clear.
  using Place = std::size_t;
  static constexpr Place nowhere = static_cast<Place>(-1);

  void clear() noexcept;
  /// `events`: ZMQ_POLLIN, ZMQ_POLLOUT or both.
  Place add(LoopSocket& socket, short events = ZMQ_POLLIN);
  Place add(int descriptor);

  /// Returns when there is news, a signal was handled, or `longest` has passed.
  void wait(std::chrono::milliseconds longest);

  /// Whether there may be something to receive, or room to send, at `place`. Never of `nowhere`.
  [[nodiscard]] bool has_news(Place place) const noexcept;

 private:
  Place add(int descriptor, bool ready);

  std::vector<pollfd> items_;
  std::vector<bool> ready_;
  bool any_ready_{false};
};

}  // namespace eventspace
