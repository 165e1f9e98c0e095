#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "monitors/cli/signal_waiter.h"

namespace eventspace {

/// The signals that end a command that would otherwise run without limit (SIGINT, SIGTERM, SIGHUP). See
/// SignalWaiter for when to construct it.
class StopSignals {
 public:
  StopSignals() : signals_{SIGINT, SIGTERM, SIGHUP} {}
  /// Includes the signals of a screen: a new size, stop and continue, which next_of_screen() returns.
  static StopSignals of_screen() { return StopSignals(OfScreen{}); }

  /// Waits up to `time` for a signal. Returns true if one has arrived, now or earlier.
  bool wait_for(std::chrono::nanoseconds time);
  /// Waits until a signal arrives.
  void wait();
  /// Whether a signal has arrived.
  bool stopped() { return wait_for({}); }
  /// Forgets the signal that has arrived: the command continues until the next one.
  void go_on() noexcept { came_ = false; }
  /// The next signal of a screen that has arrived: SIGWINCH, SIGTSTP or SIGCONT.
  std::optional<int> next_of_screen();
  /// As SignalWaiter::descriptor().
  int descriptor() { return signals_.descriptor(); }

 private:
  struct OfScreen {};
  explicit StopSignals(OfScreen /*screen*/) : signals_{SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT} {}
  void take(int signal);

  SignalWaiter signals_;
  std::deque<int> of_screen_;
  bool came_{false};
};

}  // namespace eventspace
