#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scopes/metrics/metric_library.h"

namespace eventspace {

/// The metrics that come with EventSpace and the metrics of the files, in this order, so that a file can use
/// metrics of earlier ones.
struct MetricFiles {
  metrics::MetricLibrary library{metrics::MetricLibrary::shipped()};
  /// The faults, one a line: "FILE:LINE:COLUMN: the found value and the allowed ones". The library leaves out
  /// files with faults.
  std::vector<std::string> faults;
};

/// Reads files of metrics; "-" is standard input. Blocks. Throws EnvironmentError if a file cannot be read.
MetricFiles read_metric_files(std::span<const std::filesystem::path> files);

}  // namespace eventspace
