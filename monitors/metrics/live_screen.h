#pragma once

#include <chrono>

#include "monitors/cli/stop_signals.h"
#include "monitors/metrics/live_table.h"
#include "monitors/top/terminal/keys.h"
#include "monitors/top/terminal/terminal.h"

namespace eventspace {

/// Shows a live table on the terminal, and passes keys and the signals of the terminal on to it. The terminal
/// is restored by the destructor. Used by one thread.
class LiveScreen {
 public:
  /// Both must outlive it; `signals` must also handle a screen's signals (StopSignals::of_screen). Throws
  /// EnvironmentError as Terminal does.
  LiveScreen(LiveTable& table, StopSignals& signals, bool has_colour)
      : table_(table), signals_(signals), terminal_(has_colour) {}

  /// Shows the table, and waits until `pause` has passed. Returns false when a key or a signal ends the
  /// command, or the terminal is gone.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause);

 private:
  void draw();
  void wait_for_input(std::chrono::nanoseconds limit);
  void take_input();
  void take_signals();

  LiveTable& table_;
  StopSignals& signals_;
  top::Terminal terminal_;
  top::KeyReader keys_;
  bool is_gone_{false};
};

}  // namespace eventspace
