#pragma once

// Private to scopes/.

#include <span>
#include <vector>

#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

struct CheckedFile {
  std::vector<Metric> metrics;  ///< those without a fault
  std::vector<Fault> faults;    ///< in the order of the text
};

/// Looks up the names of the metrics of a file, and checks types and units. Metrics can use those of `known`,
/// and those before them in the file: number `i` of a call is `known[i]`, and goes on with those of the
/// file that have no fault. Does not throw.
CheckedFile check_metrics(const FileSyntax& file, std::span<const Metric> known);

}  // namespace eventspace::metrics
