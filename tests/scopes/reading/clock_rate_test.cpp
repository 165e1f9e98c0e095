#include "scopes/reading/clock_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace eventspace {
namespace {

constexpr double ns_per_tick = 0.5;

/// A counter, and a node's clock whose rate the test can change.
struct Clocks {
  double at_s{0};
  double node_ns{7e12};

  void pass(double seconds, double ppm) {
    at_s += seconds;
    node_ns += seconds * 1e9 * (1 + ppm * 1e-6);
  }
  [[nodiscard]] ClockRate::Reading read(std::int64_t error_ns = 40) const {
    return {static_cast<std::uint64_t>(std::llround(at_s * 1e9 / ns_per_tick)) + 1000, std::llround(node_ns),
            error_ns};
  }
};

double ppm_of(const ClockRate::Rate& rate) { return (rate.ns_per_tick / ns_per_tick - 1) * 1e6; }

class ClockRateTest : public testing::Test {
 protected:
  void learn(std::int64_t error_ns = 40) { rate.learn(clocks.read(error_ns), ns_per_tick); }
  void run(int readings, double seconds, double ppm) {
    for (int i = 0; i < readings; ++i) {
      clocks.pass(seconds, ppm);
      learn();
    }
  }

  Clocks clocks;
  ClockRate rate;
};

TEST_F(ClockRateTest, NeedsTwoReadingsATenthOfASecondApart) {
  EXPECT_FALSE(rate.rate());
  learn();
  EXPECT_FALSE(rate.rate());
  run(9, 0.01, 0);
  EXPECT_FALSE(rate.rate());
  run(2, 0.01, 0);
  EXPECT_TRUE(rate.rate());
}

TEST_F(ClockRateTest, IsThatOfTheReadingsWithinTheirErrors) {
  run(20, 0.5, 40);
  ASSERT_TRUE(rate.rate());
  EXPECT_NEAR(ppm_of(*rate.rate()), 40, rate.rate()->error_ppm);
  EXPECT_GT(rate.rate()->error_ppm, 0);
  EXPECT_LT(rate.rate()->error_ppm, 1) << "80 ns in half a second are 0.16 ppm";
}

TEST_F(ClockRateTest, ForgetsHowFastTheClockRanTenSecondsAgo) {
  run(40, 0.5, -200);
  run(21, 0.5, 300);
  EXPECT_NEAR(ppm_of(*rate.rate()), 300, 1);
}

TEST_F(ClockRateTest, ARateThatChangedIsWithinTheError) {
  run(10, 0.5, 0);
  run(4, 0.5, 100);
  const ClockRate::Rate known = rate.rate().value();
  EXPECT_GE(known.error_ppm, 100 - ppm_of(known)) << "of late it was 100";
}

TEST_F(ClockRateTest, TheLastTwoCountHoweverFarApart) {
  run(5, 0.5, 0);
  run(2, 600, 30);
  EXPECT_NEAR(ppm_of(*rate.rate()), 30, 0.1);
}

TEST_F(ClockRateTest, AClockThatWasSetIsLearntAnew) {
  run(5, 0.5, 10);
  clocks.node_ns += 1e9;
  run(1, 0.5, 10);
  EXPECT_FALSE(rate.rate());
  run(2, 0.5, 20);
  EXPECT_NEAR(ppm_of(*rate.rate()), 20, 1);
  clocks.node_ns -= 5e9;
  run(1, 0.5, 10);
  EXPECT_FALSE(rate.rate());
}

TEST_F(ClockRateTest, AReadingThatWasInterruptedTellsNothing) {
  run(3, 0.5, 0);
  clocks.node_ns += 2e6;
  learn(3'000'000);
  clocks.node_ns -= 2e6;
  run(1, 0.5, 0);
  EXPECT_NEAR(ppm_of(rate.rate().value()), 0, 1);
}

TEST_F(ClockRateTest, AReadingThatWasInterruptedDoesNotCountTowardsTheError) {
  run(3, 0.5, 0);
  clocks.pass(0.5, 0);
  learn(3'000'000);
  run(1, 0.5, 0);
  EXPECT_LT(rate.rate().value().error_ppm, 1);
}

TEST_F(ClockRateTest, AReadingIsUsedWithAnErrorOfATenthOfAMillisecondAndNotWithMore) {
  learn();
  clocks.pass(0.5, 0);
  learn(100'001);
  EXPECT_FALSE(rate.rate());
  learn(100'000);
  EXPECT_TRUE(rate.rate());
}

TEST_F(ClockRateTest, ReadingsMayComeInAnyOrder) {
  run(3, 0.5, 0);
  const ClockRate::Reading earlier = clocks.read();
  run(3, 0.5, 0);
  rate.learn(earlier, ns_per_tick);
  EXPECT_NEAR(ppm_of(rate.rate().value()), 0, 1);
}

}  // namespace
}  // namespace eventspace
