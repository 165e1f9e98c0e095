#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace eventspace::testing_hosts {

/// The duration of a program on a slow link, as predicted by `whatif` from a recording on a fast link.
struct Prediction {
  std::string name;
  double fast_s;                  ///< measured on the fast link
  double baseline_error_percent;  ///< of the prediction for the fast link
  double slow_s;                  ///< predicted
  double too_fast;                ///< error to the fastest run that is allowed, in percent
  double too_slow;                ///< likewise
};

/// Measures five runs on the slow link, in seconds, prints the errors, and checks that they are allowed.
inline void expect_near(const Prediction& said, const std::function<double()>& measure) {
  std::vector<double> measured(5);
  std::ranges::generate(measured, measure);
  std::ranges::sort(measured);
  ASSERT_GT(measured.front(), 0);
  const double median = measured[measured.size() / 2];
  const auto error_to = [&said](double seconds) { return 100 * (said.slow_s / seconds - 1); };
  std::cout << fmt::format(
      "{}: {:.3f} s on the fast link, baseline's error {:+.1f} %; slow: {:.3f} s predicted, {:.3f} s "
      "measured (from {:.3f} to {:.3f}): error {:+.1f} %, to the fastest {:+.1f} %\n",
      said.name, said.fast_s, said.baseline_error_percent, said.slow_s, median, measured.front(),
      measured.back(), error_to(median), error_to(measured.front()));
  // Other programs on the machine can only make a run slower.
  const double error = error_to(measured.front());
  EXPECT_GT(error, -said.too_fast);
  EXPECT_LT(error, said.too_slow);
}

}  // namespace eventspace::testing_hosts
