#pragma once

// Private to monitors/.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scopes/metrics/metric_library.h"

namespace eventspace {

/// The metrics that come with EventSpace and those of the files, in this order, so that a file can use the
/// metrics of those before it.
struct MetricFiles {
  metrics::MetricLibrary library{metrics::MetricLibrary::shipped()};
  /// The faults, one a line: "FILE:LINE:COLUMN: what was found and what is allowed". Of a file with faults
  /// the library has nothing.
  std::vector<std::string> faults;
};

/// Reads files of metrics; "-" is standard input. Blocking. Throws EnvironmentError if one cannot be read.
MetricFiles read_metric_files(std::span<const std::filesystem::path> files);

}  // namespace eventspace
