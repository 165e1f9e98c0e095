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

/// Runs the screen until somebody ends it: with a key, with a signal, by taking the terminal away, or after
/// `count` samples (0: no end). `signals`: those of live_signals, blocked before the sampler began.
void run_live(Terminal& terminal, Sampler& sampler, Model& model, Display& display, SignalWaiter& signals,
              std::size_t count);

/// The ends of it (as StopSignals), other sizes, and the terminal that is given to another job and back.
SignalWaiter live_signals();

}  // namespace eventspace::top
