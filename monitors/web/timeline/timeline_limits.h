#pragma once

#include <chrono>
#include <cstddef>

namespace eventspace::web {

/// The bounds of the questions about timelines, which docs/web.md lists. TileRequest has the bounds of tiles.
struct TimelineLimits {
  std::size_t jobs{16};                            ///< questions that read the recording, with their answers
  std::size_t where_bytes{1000};                   ///< of a condition
  std::chrono::milliseconds unwanted{3'000};       ///< a job that no page has asked for so long is dropped
  std::chrono::milliseconds job_time{20'000};      ///< of one job
  std::chrono::milliseconds between_loads{1'000};  ///< of a running session
};

}  // namespace eventspace::web
