#include "paths/sockets/input_poll.h"

#include <algorithm>
#include <cerrno>

#include <eventspace/error.h>

namespace eventspace {

std::chrono::milliseconds time_until(Deadline deadline, std::chrono::milliseconds longest) {
  if (deadline.is_never()) return longest;
  return std::min(longest, std::chrono::ceil<std::chrono::milliseconds>(deadline.left()));
}

void InputPoll::clear() noexcept {
  items_.clear();
  ready_.clear();
  any_ready_ = false;
}

InputPoll::Place InputPoll::add(LoopSocket& socket, short events) {
  const bool ready = socket.is_ready(events);
  return add(socket.descriptor(), ready);
}

InputPoll::Place InputPoll::add(int descriptor) { return add(descriptor, false); }

InputPoll::Place InputPoll::add(int descriptor, bool ready) {
  items_.push_back({descriptor, POLLIN, 0});
  ready_.push_back(ready);
  any_ready_ = any_ready_ || ready;
  return items_.size() - 1;
}

void InputPoll::wait(std::chrono::milliseconds longest) {
  const auto time = any_ready_ ? 0 : static_cast<int>(std::max<std::int64_t>(0, longest.count()));
  if (::poll(items_.data(), items_.size(), time) >= 0) return;
  if (errno != EINTR) throw EnvironmentError::from_errno("cannot wait for the network", errno);
  for (pollfd& item : items_) item.revents = 0;
}

std::vector<int> InputPoll::descriptors() const {
  std::vector<int> descriptors;
  descriptors.reserve(items_.size());
  for (const pollfd& item : items_) descriptors.push_back(item.fd);
  return descriptors;
}

bool InputPoll::has_news(Place place) const noexcept {
  return place < items_.size() && (ready_[place] || items_[place].revents != 0);
}

}  // namespace eventspace
