#pragma once

// Private to monitors/.

#include <chrono>
#include <ostream>
#include <vector>

#include "monitors/cli/options.h"
#include "paths/views/aggregate.h"

namespace eventspace {

/// Writes the aggregates of views, one a line; docs/commands.md names the fields.
class ValuePrinter {
 public:
  /// `out` must outlive it.
  ValuePrinter(std::ostream& out, Format format);
  /// Those of one pull, `time` after the first one. False when nobody takes them any more.
  bool print(const std::vector<Aggregate>& aggregates, std::chrono::nanoseconds time);

 private:
  std::ostream* out_;
  Format format_;
};

}  // namespace eventspace
