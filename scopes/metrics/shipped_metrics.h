#pragma once

#include <string_view>

namespace eventspace::metrics {

/// The text of the metrics that come with EventSpace. The first eight are from grid-distributed-evaluation,
/// figures 6.6, 6.7, 7.1, 7.6 and 7.8; docs/metrics.md lists the corrections to them.
extern const std::string_view shipped_metrics;

}  // namespace eventspace::metrics
