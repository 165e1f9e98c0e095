#pragma once

#include <cstdint>

namespace eventspace::streams {

/// Counts of one filter of one process for one stream.
struct FilterCounters {
  std::uint64_t applied{0};  ///< waves
  std::uint64_t taken{0};    ///< packets of these waves
  std::uint64_t made{0};     ///< packets
  std::uint64_t faults{0};   ///< waves that it has refused
  std::uint64_t ns{0};       ///< total time
};

}  // namespace eventspace::streams
