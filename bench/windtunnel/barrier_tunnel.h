// The peer of the exchange on paths: the wind tunnel as written for one process without EventSpace. It has
// the same slices in as many threads, but border rows are passed in shared memory, and all threads meet at a
// std::barrier once per step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/windtunnel/gas/config.h"
#include "bench/windtunnel/tunnel_run.h"

namespace eventspace::windtunnel {

// Throws std::invalid_argument if the configuration is not valid, or has fewer rows than there are threads.
TunnelRun run_on_barrier(const TunnelConfig& config, std::size_t threads, std::uint64_t steps);

}  // namespace eventspace::windtunnel
