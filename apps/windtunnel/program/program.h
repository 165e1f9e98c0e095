// The part of the wind tunnel that runs in one process: its threads according to the pathmap, and the
// messages at its end.
#pragma once

#include "apps/windtunnel/exchange/failure.h"
#include "apps/windtunnel/program/options.h"

namespace eventspace::windtunnel {

// Joins the session, runs this process's threads until they end, and prints the result. If it cannot start,
// throws an exception that failure.h can convert. Requires block_stop_signals().
ExitStatus run(const Options& options);

}  // namespace eventspace::windtunnel
