#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <eventspace/deadline.h>
#include <eventspace/operation.h>

namespace eventspace {

/// A thread for code that may throw or never return. It does one piece of work at a time:
///
///     idle --start--> busy --the work returns or throws--> done --take--> idle
///
/// A thread cannot be stopped from outside. If this object is destroyed while it is busy, the thread is
/// abandoned: it keeps the work until that returns or the process ends. The number of abandoned threads in a
/// process is bounded.
///
/// Not thread-safe: one thread uses it. Writes of that thread before start are visible to the work, and
/// writes of the work are visible to that thread after take.
class WatchedThread {
 public:
  /// The thread is started with the first work. Throws EnvironmentError if `max_left` threads are abandoned.
  WatchedThread();
  ~WatchedThread();
  WatchedThread(const WatchedThread&) = delete;
  WatchedThread& operator=(const WatchedThread&) = delete;

  static constexpr std::size_t max_left = 64;
  /// Returns the number of abandoned threads of this process whose work has not returned.
  static std::size_t left_to_themselves() noexcept;

  /// Hands `work` to the thread. Requires that it is idle. Calls `waker`, unless it is null, once when the
  /// work is done. If no thread can be started, the result is a failure, available at once.
  void start(std::function<void()> work, Waker* waker);
  /// Replaces the waker, which may be null. After the return the old waker is not called, and no call of it
  /// is under way.
  void tell(Waker* waker);
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool is_done() const;
  /// Waits until the work is done or `until` has passed. Returns whether the work is done.
  bool wait(Deadline until) const;

  struct Outcome {
    bool failed{false};
    std::string error;  ///< the text of the exception
  };
  /// Takes the result. Requires that the work is done.
  Outcome take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace eventspace
