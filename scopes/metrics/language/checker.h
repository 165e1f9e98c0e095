#pragma once

#include <span>
#include <vector>

#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

struct CheckedFile {
  std::vector<Metric> metrics;  ///< metrics without a fault
  std::vector<Fault> faults;    ///< in the order of the text
};

/// Resolves the names of the metrics of a file, and checks types and units. Metrics can use the metrics of
/// `known` and earlier ones in the file. Number `i` of a call is `known[i]`; the faultless metrics of the
/// file are numbered after `known`. Does not throw.
CheckedFile check_metrics(const FileSyntax& file, std::span<const Metric> known);

}  // namespace eventspace::metrics
