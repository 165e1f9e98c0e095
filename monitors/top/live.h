#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>

#include "monitors/cli/signal_waiter.h"
#include "monitors/top/display.h"
#include "monitors/top/model.h"
#include "monitors/top/sampler.h"
#include "monitors/top/terminal/terminal.h"

namespace eventspace::top {

/// Runs the screen until a key or signal ends it, the terminal is gone, or `count` samples were shown (0: no
/// limit). `signals` must be from live_signals() and must have been blocked before the sampler was
/// constructed.
void run_live(Terminal& terminal, Sampler& sampler, Model& model, Display& display, SignalWaiter& signals,
              std::size_t count);

/// Blocks the signals that end the screen (as StopSignals), report a new size, and stop and continue the
/// process.
SignalWaiter live_signals();

}  // namespace eventspace::top
