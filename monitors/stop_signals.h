#pragma once

#include <signal.h>

#include <chrono>

namespace eventspace {

/// Ctrl-C and its like (SIGINT, SIGTERM), taken in turn instead of at any instant: blocked while this
/// exists, and waited for. Construct it before starting threads, which inherit the blocking, and start
/// children with ChildProcess, which undoes it for them. One at a time in a process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();  ///< restores the signal mask
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Waits for a signal, at most for `time`. Whether one came, now or before.
  bool wait_for(std::chrono::nanoseconds time);
  /// Waits for as long as it takes.
  void wait();
  /// Whether one came so far.
  bool stopped() { return wait_for({}); }

 private:
  sigset_t before_{};
  sigset_t signals_{};
  bool came_{false};
};

}  // namespace eventspace
