#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scopes/metrics/evaluation/measurement.h"
#include "tests/scopes/metrics/distribution/naive_evaluation.h"

namespace eventspace::test {

/// Adds the values of a metric, named as by the naive interpreter. Processes are "p0", "p1" ...
inline void add_to(NaiveEvaluation::Values& all, const std::vector<metrics::MetricValue>& values) {
  for (const auto& value : values) {
    const auto process =
        value.objects.empty() ? 0U : static_cast<std::uint32_t>(std::stoul(value.objects[0].substr(1)));
    all[{process, value.virtual_time.value_or(0)}] =
        value.datum.problem == metrics::Problem::none ? value.datum.number : std::nan("");
  }
}

/// Whether two values are equal except for rounding; all errors are equal.
inline bool is_near(double value, double other, double room = 1e-6) {
  if (std::isnan(value)) return std::isnan(other);
  return std::abs(value - other) <= room * std::max(1.0, std::abs(value));
}

/// The differences in `values`, a line for each; empty if there are none.
inline std::string differences(const NaiveEvaluation::Values& naive, const NaiveEvaluation::Values& values,
                               double room = 1e-6) {
  std::string all;
  const auto say = [&](const auto& of, const std::string& what) {
    all += "process " + std::to_string(of.first) + ", virtual time " + std::to_string(of.second) + ": " +
           what + "\n";
  };
  for (const auto& [of, value] : naive) {
    const auto other = values.find(of);
    if (other == values.end())
      say(of, "no value, for " + std::to_string(value));
    else if (!is_near(value, other->second, room))
      say(of, std::to_string(other->second) + " for " + std::to_string(value));
  }
  for (const auto& [of, value] : values) {
    if (!naive.contains(of)) say(of, std::to_string(value) + " for nothing");
  }
  return all;
}

}  // namespace eventspace::test
