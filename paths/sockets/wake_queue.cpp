#include "paths/sockets/wake_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <eventspace/error.h>

namespace eventspace {

WakeQueue::WakeQueue() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (descriptor_ < 0) throw EnvironmentError::from_errno("cannot make an event descriptor", errno);
}

WakeQueue::~WakeQueue() { ::close(descriptor_); }

void WakeQueue::belong_to_this_thread() noexcept {
  loop_.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

void WakeQueue::push(std::uint64_t token) noexcept {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = tokens_.empty();
    if (pushed_.insert(token).second) tokens_.push_back(token);
  }
  // Relaxed suffices: only the loop's thread itself can read its own id here.
  if (first && loop_.load(std::memory_order_relaxed) != std::this_thread::get_id()) interrupt();
}

void WakeQueue::interrupt() noexcept {
  const std::uint64_t one = 1;
  // A write fails only if the counter is full; the descriptor is already readable then.
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
}

bool WakeQueue::has_tokens() const {
  const std::lock_guard lock(mutex_);
  return !tokens_.empty();
}

std::vector<std::uint64_t> WakeQueue::drain() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(descriptor_, &count, sizeof count);
  return take();
}

std::vector<std::uint64_t> WakeQueue::take() {
  const std::lock_guard lock(mutex_);
  pushed_.clear();
  return std::exchange(tokens_, {});
}

}  // namespace eventspace
