#pragma once

#include "monitors/cli/signal_waiter.h"
#include "monitors/top/display.h"
#include "monitors/top/model.h"
#include "monitors/top/playback.h"
#include "monitors/top/sampler.h"
#include "monitors/top/terminal/terminal.h"
#include "monitors/watching/watch_loop.h"

namespace eventspace::top {

/// Why the screen is left: at its end, or because the user jumped to another time of a recording, for which
/// looker, model and sampler are recreated.
enum class Left : std::uint8_t { at_end, by_jump };

/// Runs the screen until a key or signal ends it, the terminal is gone, or a limit is reached; a look of the
/// limits is a sample that was shown. `signals` must be from live_signals() and must have been blocked before
/// the sampler was constructed. `playback`: for a recording; otherwise null.
Left run_live(Terminal& terminal, Sampler& sampler, Model& model, Display& display, SignalWaiter& signals,
              const WatchLoop::Limits& limits, Playback* playback);

/// Blocks the signals that end the screen (as StopSignals), report a new size, and stop and continue the
/// process.
SignalWaiter live_signals();

}  // namespace eventspace::top
