#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "scopes/metrics/metric_library.h"

namespace eventspace::test {

/// Faults as "LINE:COLUMN: TEXT".
inline std::vector<std::string> described(const std::vector<metrics::MetricFault>& faults) {
  std::vector<std::string> lines;
  for (const auto& fault : faults)
    lines.push_back(fmt::format("{}:{}: {}", fault.line, fault.column, fault.text));
  return lines;
}

}  // namespace eventspace::test
