#include "scopes/metrics/evaluation/metric_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace eventspace::metrics {
namespace {

const DisplayUnit milliseconds = *display_unit("ms");

TEST(MetricValue, ANumberIsInTheUnitOfTheMetric) {
  EXPECT_EQ(number_of(Datum::of(0.25), milliseconds), 250.0);
  EXPECT_EQ(problem_of(Datum::of(0.25), milliseconds), "");
}

TEST(MetricValue, AMissingNumberHasAProblem) {
  const auto expect_problem = [](const Datum& datum, std::string_view problem) {
    EXPECT_EQ(number_of(datum, milliseconds), std::nullopt) << problem;
    EXPECT_EQ(problem_of(datum, milliseconds), problem);
  };
  expect_problem(Datum::without(Datum::State::later), "not yet");
  expect_problem(Datum::without(Datum::State::absent), "no value");
  expect_problem(Datum::without(Datum::State::missed), "no value");
  expect_problem(Datum::wrong(Problem::divided_by_zero), "division by zero");
}

// It is finite in seconds, but not in milliseconds.
TEST(MetricValue, ANumberThatIsTooLargeForItsUnitIsMissing) {
  const Datum longest = Datum::of(std::numeric_limits<double>::max());
  EXPECT_EQ(number_of(longest, milliseconds), std::nullopt);
  EXPECT_EQ(problem_of(longest, milliseconds), "too large a number");
}

}  // namespace
}  // namespace eventspace::metrics
