#pragma once

// Private to tuplespace/.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tuplespace/shared/shared_element_layout.h"
#include "tuplespace/waker_list.h"

namespace eventspace::shared_element {

/// Moves the signal's count and wakes those who sleep on it; no system call when nobody does.
void raise(Signal& signal) noexcept;

/// Waits until the count is no longer `seen`, or `deadline`, or longest_sleep has passed, or for no reason.
void await(Signal& signal, std::uint32_t seen, Deadline deadline) noexcept;

/// Tells wakers of this process when a signal moves: by a thread, which the first of them starts. Also tells
/// them every SharedElement::longest_sleep, as whoever was about to raise the signal may have been killed.
class SignalWatch {
 public:
  explicit SignalWatch(Signal& signal) noexcept : signal_(signal) {}
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Registers for one wake-up once the count is no longer `seen`; at once, and in this thread, if it is not
  /// now.
  void add(Waker& waker, std::uint32_t seen);
  /// After the return it is not called any more.
  void remove(Waker& waker) noexcept;

 private:
  void run();

  Signal& signal_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  WakerList wakers_;
  std::uint32_t seen_{0};
  bool stopping_{false};
  std::thread thread_;
};

}  // namespace eventspace::shared_element
