#pragma once

#include <signal.h>

#include <chrono>
#include <initializer_list>
#include <optional>

namespace eventspace {

/// Waits for signals instead of handling them asynchronously: blocks them while this object exists. Construct
/// it before starting threads, which inherit the mask, and start children with ChildProcess, which resets it.
/// SIGHUP is left out if it is ignored (nohup). At most one object may exist in a process at a time.
class SignalWaiter {
 public:
  SignalWaiter(std::initializer_list<int> signals);
  ~SignalWaiter();  ///< restores the signal mask
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;

  /// Waits up to `time` for the next signal; nullopt when none arrives. Returns each signal once.
  std::optional<int> next(std::chrono::nanoseconds time);
  /// A descriptor for poll(2) that is readable while a signal is pending. Throws EnvironmentError.
  int descriptor();

 private:
  sigset_t before_{};
  sigset_t signals_{};
  int descriptor_{-1};
};

}  // namespace eventspace
