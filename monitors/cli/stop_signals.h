#pragma once

// Private to monitors/.

#include <chrono>

#include "monitors/cli/signal_waiter.h"

namespace eventspace {

/// The signals that end a command without a limit of its own (SIGINT, SIGTERM, SIGHUP). See SignalWaiter for
/// when to construct it.
class StopSignals {
 public:
  StopSignals() : signals_{SIGINT, SIGTERM, SIGHUP} {}

  /// Waits up to `time` for a signal. Returns true if one has arrived, now or earlier.
  bool wait_for(std::chrono::nanoseconds time);
  /// Waits until a signal arrives.
  void wait();
  /// Whether a signal has arrived.
  bool stopped() { return wait_for({}); }

 private:
  SignalWaiter signals_;
  bool came_{false};
};

}  // namespace eventspace
