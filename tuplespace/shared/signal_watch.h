#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tuplespace/shared/shared_element_layout.h"
#include "tuplespace/waker_list.h"

namespace eventspace::shared_element {

/// Returns the signal's count. What a thread did before it raised the signal is visible to a thread that got
/// the new count.
inline std::uint32_t count_of(const Signal& signal) noexcept {
  return signal.word.load(std::memory_order_acquire) & ~Signal::has_sleepers;
}

/// Increments the signal's count and wakes all threads that sleep on it. Does not make a system call if none
/// sleeps. tests/tuplespace/shared/signal_model.h enumerates the interleavings of these functions.
void raise(Signal& signal) noexcept;

/// Blocks until the count differs from `seen`, until `deadline`, or for SharedElement::longest_sleep,
/// whichever comes first. May return early.
void await(Signal& signal, std::uint32_t seen, Deadline deadline) noexcept;

/// Calls wakers of this process when the count of a signal changes. A separate thread waits for that; the
/// first waker starts it. It also calls them every SharedElement::longest_sleep, in case a process was killed
/// before it raised the signal. Thread-safe.
class SignalWatch {
 public:
  explicit SignalWatch(Signal& signal) noexcept : signal_(signal) {}
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Registers `waker` for one call as soon as the count differs from `seen`. If it already does, calls it at
  /// once, in this thread.
  void add(Waker& waker, std::uint32_t seen);
  /// Removes the registration; `waker` is not called after the return.
  void remove(Waker& waker) noexcept;

 private:
  void run();

  Signal& signal_;
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  WakerList wakers_;
  std::uint32_t seen_{0};
  bool stopping_{false};
  std::thread thread_;
};

}  // namespace eventspace::shared_element
