#include "paths/views/clock_relation.h"

#include <gtest/gtest.h>

#include "tests/paths/links/simulated_clock.h"

namespace eventspace {
namespace {

using test::SimulatedClock;

/// Three clocks in a row: of a server, of a gateway that pulls from it, and of a monitor that pulls from the
/// gateway.
struct Row {
  explicit Row(std::uint64_t seed) : random(seed), far(clock()), middle(clock()), near(clock()) {
    std::uniform_real_distribution<double> delay(1'000, 3'000'000);
    const test::SimulatedLink links[] = {{delay(random), delay(random), delay(random), delay(random)},
                                         {delay(random), delay(random), delay(random), delay(random)}};
    for (int i = 0; i < 30; ++i) {
      const double moment = 20e9 + i * 0.2e9;
      first.add(test::exchange_at(moment, middle, far, links[0], random).readings);
      second.add(test::exchange_at(moment, near, middle, links[1], random).readings);
    }
  }
  SimulatedClock clock() {
    return {random, std::uniform_real_distribution<double>(0, 1e14)(random), 99, 100, 3};
  }

  std::mt19937_64 random;
  SimulatedClock far, middle, near;
  OffsetEstimator first, second;
};

void expect_within_bound(const BoundedTime& time, std::int64_t truth, const std::string& where) {
  ASSERT_TRUE(time.error_ns) << where;
  EXPECT_LE(std::abs(time.ns - truth), *time.error_ns) << where;
}

TEST(ClockRelationTest, ByDefaultBothAreTheSameClock) {
  const ClockRelation same;
  EXPECT_TRUE(same.is_same());
  EXPECT_EQ(same.here(-7).ns, -7);
  EXPECT_EQ(same.here(-7).error_ns, 0);
  EXPECT_TRUE(same.then(same).is_same());
  EXPECT_EQ(same.of_times_here(), same);
}

TEST(ClockRelationTest, HasTheBoundDrawnInTheHeader) {
  ClockRelation relation;
  relation.reference_ns = 100'000'000;
  relation.offset_ns = 7;
  relation.error_ns = 10;
  relation.growth_ppm = 100;  // 100ns a millisecond
  relation.covered_since_ns = 50'000'000;
  relation.covered_error_ns = 400;
  relation.bounded_since_ns = 10'000'000;
  EXPECT_EQ(relation.here(100'000'000).error_ns, 10);
  EXPECT_EQ(relation.here(101'000'000).error_ns, 110);
  EXPECT_EQ(relation.here(99'000'000).error_ns, 110);
  EXPECT_EQ(relation.here(60'000'000).error_ns, 400);
  EXPECT_EQ(relation.here(49'000'000).error_ns, 500);
  EXPECT_EQ(relation.here(9'999'999).error_ns, std::nullopt);
  EXPECT_EQ(relation.here(9'999'999).ns, 10'000'006);
}

TEST(ClockRelationTest, GoesBothWays) {
  Row row(1);
  const ClockRelation relation = row.first.relation();
  for (const double moment : {0.0, 1e9, 25e9, 90e9}) {
    const std::int64_t there = row.far.reading(moment);
    EXPECT_NEAR(static_cast<double>(relation.there(relation.here(there).ns) - there), 0, 2);
  }
}

TEST(ClockRelationTest, OverTwoHopsTheTrueTimeIsWithinTheSumOfTheBounds) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Row row(seed);
    const ClockRelation both = row.first.relation().then(row.second.relation());
    std::uniform_real_distribution<double> any(0, 40e9);
    for (int i = 0; i < 20; ++i) {
      const double moment = any(row.random);
      const std::int64_t truth = row.near.reading(moment);
      expect_within_bound(both.here(row.far.reading(moment)), truth, "seed " + std::to_string(seed));
      const ClockRelation converted = both.of_times_here();
      const std::int64_t here = both.here(row.far.reading(moment)).ns;
      EXPECT_EQ(converted.here(here).ns, here);
      expect_within_bound(converted.here(here), truth, "converted, seed " + std::to_string(seed));
    }
  }
}

TEST(ClockRelationTest, TimesConvertedOnTheWayAreConvertedOnwards) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Row row(seed);
    const ClockRelation converted = row.first.relation().of_times_here().then(row.second.relation());
    for (const double moment : {0.0, 10e9, 21e9, 25e9, 30e9}) {
      const std::int64_t middle = row.first.relation().here(row.far.reading(moment)).ns;
      expect_within_bound(converted.here(middle), row.near.reading(moment), "seed " + std::to_string(seed));
    }
  }
}

TEST(ClockRelationTest, AHopBetweenEqualClocksChangesNothing) {
  const ClockRelation relation = Row(3).first.relation();
  EXPECT_EQ(relation.then({}), relation);
  EXPECT_EQ(ClockRelation().then(relation), relation);
}

TEST(ClockRelationTest, AnUnknownHopMakesTheWholeUnknown) {
  const ClockRelation relation = Row(3).first.relation();
  EXPECT_FALSE(relation.then(ClockRelation::unknown()).known);
  EXPECT_FALSE(ClockRelation::unknown().then(relation).known);
  EXPECT_FALSE(ClockRelation().then(ClockRelation::unknown()).known);
}

TEST(ClockRelationTest, JumpsOnTheWayAddUpAndEndTheBound) {
  Row row(9);
  ClockRelation first = row.first.relation();
  ClockRelation second = row.second.relation();
  first.jumps = 1;
  second.jumps = 2;
  second.bounded_since_ns = row.middle.reading(22e9);
  const ClockRelation both = first.then(second);
  EXPECT_EQ(both.jumps, 3u);
  EXPECT_FALSE(both.here(row.far.reading(21.9e9)).error_ns);
  EXPECT_TRUE(both.here(row.far.reading(22.1e9)).error_ns);
  EXPECT_EQ(ClockRelation().then(second).bounded_since_ns, second.bounded_since_ns);
}

// Two branches of a scope convert times at two moments; their reports are merged.
TEST(ClockRelationTest, AWidenedBoundHoldsForTimesOfBothRelations) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Row row(seed);
    const ClockRelation before = row.first.relation();
    row.first.add(test::exchange_at(30e9, row.middle, row.far, {400, 90'000, 10, 10}, row.random).readings);
    const ClockRelation after = row.first.relation();
    for (const bool onward : {false, true}) {
      ClockRelation one = before.of_times_here();
      ClockRelation other = after.of_times_here();
      if (onward) {
        one = one.then(row.second.relation());
        other = other.then(row.second.relation());
      }
      one.widen(other);
      for (const double moment : {5e9, 22e9, 26e9, 31e9}) {
        const std::int64_t truth = (onward ? row.near : row.middle).reading(moment);
        for (const ClockRelation& by : {before, after}) {
          expect_within_bound(one.here(by.here(row.far.reading(moment)).ns), truth,
                              "seed " + std::to_string(seed));
        }
      }
    }
  }
}

TEST(ClockRelationTest, NoNumbersFromAPeerDoHarm) {
  ClockRelation odd;
  odd.reference_ns = std::numeric_limits<std::int64_t>::min();
  odd.offset_ns = std::numeric_limits<std::int64_t>::max();
  odd.drift_ppm = 1e6;
  odd.error_ns = std::numeric_limits<std::int64_t>::max();
  odd.growth_ppm = 1e6;
  odd.covered_since_ns = std::numeric_limits<std::int64_t>::max();
  odd.bounded_since_ns = 0;
  ClockRelation sum = odd.then(odd).of_times_here().then(odd);
  sum.widen(odd);
  for (const std::int64_t time : {odd.reference_ns, odd.offset_ns, std::int64_t{0}}) {
    const auto error = sum.here(time).error_ns;
    EXPECT_TRUE(!error || *error >= 0);
    (void)sum.there(time);
  }
}

}  // namespace
}  // namespace eventspace
