#include "paths/views/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace eventspace {
namespace {

constexpr double greatest = std::numeric_limits<double>::max();
constexpr double tiniest = std::numeric_limits<double>::min();

TEST(HistogramTest, EveryNumberLiesInItsBucket) {
  for (const double value : {tiniest, 1e-300, 0.1, 1.0, 1.0625, 1.99, 2.0, 3.0, 1e9, 123456789.0, greatest}) {
    const Histogram::Key key = Histogram::key_of(value);
    EXPECT_LE(Histogram::lower_bound(key), value);
    EXPECT_GT(Histogram::upper_bound(key), value);
    EXPECT_EQ(Histogram::key_of(-value), -key);
    EXPECT_EQ(Histogram::upper_bound(-key), -Histogram::upper_bound(key));
  }
}

TEST(HistogramTest, BucketsAreASixteenthOfTheirPowerOfTwoWide) {
  EXPECT_EQ(Histogram::key_of(1.0), Histogram::key_of(1.0624));
  EXPECT_EQ(Histogram::key_of(1.0) + 1, Histogram::key_of(1.0625));
  EXPECT_EQ(Histogram::key_of(1.0) + 16, Histogram::key_of(2.0));
}

TEST(HistogramTest, KeysStayInTheirRange) {
  EXPECT_EQ(Histogram::key_of(greatest), Histogram::greatest_key);
  EXPECT_EQ(Histogram::key_of(tiniest), 1);
  EXPECT_EQ(Histogram::key_of(0.0), 0);
  EXPECT_EQ(Histogram::key_of(-tiniest / 2), 0);
  EXPECT_TRUE(std::isfinite(Histogram::middle(Histogram::greatest_key)));
}

TEST(HistogramTest, AnEmptyOneHasNoQuantiles) {
  EXPECT_EQ(Histogram().quantile(0.5), 0);
  EXPECT_EQ(Histogram().count(), 0u);
}

TEST(HistogramTest, NegativeNumbersAndZeroAreInOrder) {
  Histogram histogram;
  for (const double value : {5.0, -1000.0, 0.0, -1.0}) histogram.add(value);
  EXPECT_NEAR(histogram.quantile(0.25), -1000, 32);
  EXPECT_NEAR(histogram.quantile(0.5), -1, 0.032);
  EXPECT_EQ(histogram.quantile(0.75), 0);
  EXPECT_NEAR(histogram.quantile(1), 5, 0.16);
}

TEST(HistogramTest, QuantilesAreAtMostAThirtiethOff) {
  std::mt19937_64 random(17);
  std::lognormal_distribution<double> durations(8, 2);
  std::vector<double> values(10'000);
  Histogram histogram;
  for (double& value : values) histogram.add(value = durations(random));
  std::sort(values.begin(), values.end());
  for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    const double exact = values[rank - 1];
    EXPECT_NEAR(histogram.quantile(share), exact, exact * 0.032) << share;
  }
}

TEST(HistogramTest, TwoAddedEqualOneOfAllNumbers) {
  std::mt19937_64 random(18);
  Histogram whole;
  Histogram parts[2];
  for (int i = 0; i < 1000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random() % 1000) - 300, static_cast<int>(random() % 40));
    whole.add(value);
    parts[random() % 2].add(value);
  }
  parts[0].add(parts[1]);
  EXPECT_EQ(parts[0], whole);
  EXPECT_EQ(whole.count(), 1000u);
}

TEST(HistogramTest, CanBeRebuiltFromItsBuckets) {
  Histogram histogram;
  for (const double value : {3.0, 3.1, -7.0}) histogram.add(value);
  EXPECT_EQ(Histogram(histogram.buckets()), histogram);
}

}  // namespace
}  // namespace eventspace
