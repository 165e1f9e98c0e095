// The duration and the results of a run of the wind tunnel.
#pragma once

#include <chrono>
#include <cstdint>

namespace eventspace::windtunnel {

struct TunnelRun {
  std::chrono::nanoseconds duration{};  // from the first thread's first step to the last one's last
  std::uint64_t checksum = 0;
};

}  // namespace eventspace::windtunnel
