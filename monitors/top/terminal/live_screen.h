#pragma once

#include <chrono>

#include "monitors/cli/stop_signals.h"
#include "monitors/top/terminal/keys.h"
#include "monitors/top/terminal/live_page.h"
#include "monitors/top/terminal/terminal.h"

namespace eventspace::top {

/// Shows a live page on the terminal, and passes keys and the signals of the terminal on to it. The terminal
/// is restored by the destructor. Used by one thread.
class LiveScreen {
 public:
  /// Both must outlive it; `signals` must also handle a screen's signals (StopSignals::of_screen). Throws
  /// EnvironmentError as Terminal does.
  LiveScreen(LivePage& page, StopSignals& signals, bool has_colour)
      : page_(page), signals_(signals), terminal_(has_colour) {}

  /// Shows the page, and waits until `pause` has passed. Returns false when a key or a signal ends the
  /// command, or the terminal is gone.
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause);

 private:
  void draw();
  void wait_for_input(std::chrono::nanoseconds limit);
  void take_input();
  void take_signals();

  LivePage& page_;
  StopSignals& signals_;
  Terminal terminal_;
  KeyReader keys_;
  bool is_gone_{false};
};

}  // namespace eventspace::top
