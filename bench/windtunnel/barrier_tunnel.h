// The wind tunnel as one writes it for one process without EventSpace: the same slices in as many threads,
// but the border rows are handed over in shared memory, and all threads meet at a std::barrier once a step.
// What the exchange on paths is compared with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/windtunnel/gas/config.h"
#include "bench/windtunnel/tunnel_run.h"

namespace eventspace::windtunnel {

// Throws std::invalid_argument when the configuration is not valid, or has fewer rows than there are threads.
TunnelRun run_on_barrier(const TunnelConfig& config, std::size_t threads, std::uint64_t steps);

}  // namespace eventspace::windtunnel
