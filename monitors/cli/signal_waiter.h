#pragma once

// Private to monitors/.

#include <signal.h>

#include <chrono>
#include <initializer_list>
#include <optional>

namespace eventspace {

/// Signals taken in turn instead of at any instant: blocked while this exists, and waited for. Construct it
/// before starting threads, which inherit the blocking, and start children with ChildProcess, which undoes
/// it for them. SIGHUP is left out where it is ignored (nohup). One at a time in a process.
class SignalWaiter {
 public:
  SignalWaiter(std::initializer_list<int> signals);
  ~SignalWaiter();  ///< restores the signal mask
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;

  /// The next signal; nothing when none comes in time. Each is yielded once.
  std::optional<int> next(std::chrono::nanoseconds time);
  /// Readable while a signal waits to be taken: for poll(2) beside other things. Throws EnvironmentError.
  int descriptor();

 private:
  sigset_t before_{};
  sigset_t signals_{};
  int descriptor_{-1};
};

}  // namespace eventspace
