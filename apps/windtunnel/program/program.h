// The part of the wind tunnel that runs in one process: its threads by the pathmap, and what is said at the
// end.
#pragma once

#include "apps/windtunnel/exchange/failure.h"
#include "apps/windtunnel/program/options.h"

namespace eventspace::windtunnel {

// Joins the session, runs this process's threads until they end, prints. Throws what failure.h knows when it
// cannot start. Requires block_stop_signals().
ExitStatus run(const Options& options);

}  // namespace eventspace::windtunnel
