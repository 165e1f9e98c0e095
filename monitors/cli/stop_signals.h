#pragma once

// Private to monitors/.

#include <chrono>

#include "monitors/cli/signal_waiter.h"

namespace eventspace {

/// Ctrl-C and its like (SIGINT, SIGTERM, SIGHUP), as a command that runs on and on waits for them. To be
/// constructed and used as SignalWaiter says.
class StopSignals {
 public:
  StopSignals() : signals_{SIGINT, SIGTERM, SIGHUP} {}

  /// Waits for a signal, at most for `time`. Whether one came, now or before.
  bool wait_for(std::chrono::nanoseconds time);
  /// Waits for as long as it takes.
  void wait();
  /// Whether one came so far.
  bool stopped() { return wait_for({}); }

 private:
  SignalWaiter signals_;
  bool came_{false};
};

}  // namespace eventspace
