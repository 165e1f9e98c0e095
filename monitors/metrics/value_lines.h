#pragma once

#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/metrics/readings/metric_reading.h"

namespace eventspace {

/// Writes measured values, one a line; docs/json.md names the fields.
class ValueLines {
 public:
  /// `out` must outlive it.
  ValueLines(std::ostream& out, Format format);

  /// Returns false when the stream has failed, for example because its reader is gone.
  bool print(const MetricReading& reading);

 private:
  std::ostream* out_;
  Format format_;
};

}  // namespace eventspace
