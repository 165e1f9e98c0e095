#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <vector>

#include "monitors/cli/options.h"
#include "paths/views/aggregate.h"

namespace eventspace {

/// Writes the aggregates of views, one per line; docs/commands.md names the fields.
class ValuePrinter {
 public:
  /// `out` must outlive it.
  ValuePrinter(std::ostream& out, Format format);
  /// Writes the aggregates of one pull, `time` after the first one. `lost`: number of events that may be
  /// missing in them. Returns false when the stream has failed, as when its reader is gone.
  bool print(const std::vector<Aggregate>& aggregates, std::chrono::nanoseconds time, std::uint64_t lost = 0);

 private:
  std::ostream* out_;
  Format format_;
};

}  // namespace eventspace
