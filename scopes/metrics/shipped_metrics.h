#pragma once

// Private to scopes/.

#include <string_view>

namespace eventspace::metrics {

/// The text of the metrics that come with EventSpace. The first eight are those of
/// grid-distributed-evaluation, figures 6.6, 6.7, 7.1, 7.6 and 7.8; docs/metrics.md says what was repaired.
extern const std::string_view shipped_metrics;

}  // namespace eventspace::metrics
