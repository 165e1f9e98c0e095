#pragma once

#include <cstdint>

namespace eventspace::metrics {

/// The meaning of a metric's interval at a reading (the aggregation modes of grid-distributed-evaluation,
/// section 6.4).
enum class Span : std::uint8_t { since_start, since_last };

/// The times of an evaluation. Plain data.
struct Moments {
  std::int64_t start_ns{0};  ///< start of the measurement
  std::int64_t last_ns{0};   ///< the previous reading
  std::int64_t now_ns{0};
  Span span{Span::since_start};
};

}  // namespace eventspace::metrics
