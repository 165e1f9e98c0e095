#pragma once

// Private to monitors/.

#include "monitors/cli/signal_waiter.h"
#include "monitors/top/display.h"
#include "monitors/top/model.h"
#include "monitors/top/sampler.h"
#include "monitors/top/terminal/terminal.h"
#include "monitors/watching/watch_loop.h"

namespace eventspace::top {

/// Runs the screen until a key or signal ends it, the terminal is gone, or a limit is reached; a look of the
/// limits is a sample that was shown. `signals` must be from live_signals() and must have been blocked before
/// the sampler was constructed.
void run_live(Terminal& terminal, Sampler& sampler, Model& model, Display& display, SignalWaiter& signals,
              const WatchLoop::Limits& limits);

/// Blocks the signals that end the screen (as StopSignals), report a new size, and stop and continue the
/// process.
SignalWaiter live_signals();

}  // namespace eventspace::top
