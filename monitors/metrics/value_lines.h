#pragma once

// Private to monitors/.

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "scopes/metrics/evaluation/measurement.h"

namespace eventspace {

/// Writes measured values, one a line; docs/json.md names the fields.
class ValueLines {
 public:
  /// `out` must outlive it.
  ValueLines(std::ostream& out, Format format);

  /// What is true of all values of one reading.
  struct Reading {
    std::chrono::nanoseconds time{};  ///< since the measurement started
    std::int64_t start_ns{0};         ///< of the measurement, on the clock of the values' times
    std::string metric;
    std::uint64_t lost{0};  ///< events that are missing in the values
  };
  /// Returns false when the stream has failed, as when its reader is gone.
  bool print(const Reading& reading, const metrics::DisplayUnit& unit,
             const std::vector<metrics::Measurement::Value>& values);

 private:
  std::ostream* out_;
  Format format_;
};

}  // namespace eventspace
