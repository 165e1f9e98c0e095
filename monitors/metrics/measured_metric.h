#pragma once

// Private to monitors/.

#include <string>
#include <vector>

#include "monitors/metrics/metric_files.h"
#include "scopes/metrics/evaluation/definition.h"

namespace eventspace {

/// Makes the metrics of these names ready. A built-in metric is measured for each process, or, if it is of
/// nodes, for each node. Throws ConfigurationError: with near names if there is no metric of a name, or if it
/// cannot be measured.
std::vector<metrics::Definition> definitions_of(const std::vector<std::string>& names,
                                                metrics::MetricLibrary library);

/// Returns a condition (docs/expressions.md) that holds for all events that the definitions need, so that no
/// others travel. It is "false" if they need none, and "true" if the condition would be longer than an
/// expression may be.
std::string condition_for(const std::vector<metrics::Definition>& definitions);

}  // namespace eventspace
