#pragma once

#include "monitors/metrics/measure_options.h"

namespace eventspace {

/// Measures the metrics of `options` until it is ended, and writes or shows the values. Returns the exit
/// status: exit_found_wrong if an alert was raised. Throws ConfigurationError and EnvironmentError.
int measure(const MeasureOptions& options);

}  // namespace eventspace
