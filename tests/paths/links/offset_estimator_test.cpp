#include "paths/links/offset_estimator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>

#include "tests/paths/links/simulated_clock.h"

namespace eventspace {
namespace {

using test::SimulatedClock;
using test::SimulatedExchange;
using test::SimulatedLink;

constexpr double second = 1e9;

/// The clocks of a client and a server, and the client's estimate from their exchanges.
struct Simulation {
  static constexpr double lasts_s = 500;

  explicit Simulation(std::uint64_t seed, double max_ppm = 99, double changes_every_s = 5)
      : random(seed),
        here(random, uniform(0, 36'000 * second), max_ppm, lasts_s, changes_every_s),
        there(random, uniform(0, 36'000 * second), max_ppm, lasts_s, changes_every_s) {}

  double uniform(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  }
  double log_uniform(double least, double most) { return std::exp(uniform(std::log(least), std::log(most))); }

  void exchange(double moment) {
    estimator.add(test::exchange_at(moment, here, there, link, random).readings);
  }
  void exchange(double first, double last, double every) {
    for (double moment = first; moment < last; moment += every) exchange(moment);
  }

  /// The error of the estimate at that moment.
  [[nodiscard]] std::int64_t error_at(double moment) const {
    return estimator.relation().here(there.reading(moment)).ns - here.reading(moment);
  }
  [[nodiscard]] std::optional<std::int64_t> bound_at(double moment) const {
    return estimator.relation().here(there.reading(moment)).error_ns;
  }
  /// Returns how the bound fails; empty if it holds.
  [[nodiscard]] std::string lie_about(double moment) const {
    const auto bound = bound_at(moment);
    const std::int64_t error = std::abs(error_at(moment));
    if (!bound || error <= *bound) return "";
    return std::to_string(moment) + ": off by " + std::to_string(error) + ", at most " +
           std::to_string(*bound);
  }

  std::mt19937_64 random;
  SimulatedLink link;
  SimulatedClock here, there;
  OffsetEstimator estimator;
};

TEST(OffsetEstimatorTest, KnowsNothingBeforeTheFirstExchange) {
  EXPECT_FALSE(OffsetEstimator().relation().known);
  EXPECT_FALSE(OffsetEstimator().relation().here(7).error_ns);
}

TEST(OffsetEstimatorTest, OneExchangeBoundsTheOffsetByHalfOfItsDelay) {
  OffsetEstimator estimator;
  estimator.add({1000, 5'600, 5'700, 2'000});  // 900ns on the way
  const ClockRelation relation = estimator.relation();
  EXPECT_TRUE(relation.known);
  EXPECT_EQ(relation.reference_ns, 5'700);
  EXPECT_NEAR(static_cast<double>(relation.offset_ns), -4'150, 2);
  EXPECT_NEAR(static_cast<double>(relation.error_ns), 450, 4);
}

// Thousands of links: offsets of hours, drifts that change, delays of any kind, requests under way together,
// lost replies. Whatever the delays do, the bound holds: at the exchanges, between them, before and after.
TEST(OffsetEstimatorTest, TheTrueTimeIsAlwaysWithinTheBound) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Simulation simulation(seed);
    const auto any_delay = [&] { return simulation.log_uniform(500, 5e7); };
    simulation.link = {any_delay(), any_delay(), any_delay(), any_delay()};
    const double every = simulation.log_uniform(1e-3 * second, 2 * second);
    const double first = simulation.uniform(0, 100 * second);
    std::vector<SimulatedExchange> exchanges;
    for (int i = 0; i < 100; ++i) {
      const bool is_lost = simulation.uniform(0, 1) < 0.2;
      const double moment = first + (i + simulation.uniform(0, 0.5)) * every;
      if (!is_lost) {
        exchanges.push_back(
            test::exchange_at(moment, simulation.here, simulation.there, simulation.link, simulation.random));
      }
    }
    std::sort(exchanges.begin(), exchanges.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      simulation.estimator.add(exchanges[i].readings);
      if (i % 16 != 0) continue;
      for (const double moment :
           {exchanges[i].end, simulation.uniform(first, exchanges[i].end),
            simulation.uniform(first, exchanges[i].end), simulation.uniform(0, exchanges[i].end),
            exchanges[i].end + simulation.uniform(0, 10 * second)}) {
        ASSERT_EQ(simulation.lie_about(moment), "") << "seed " << seed << ", exchange " << i;
      }
    }
    ASSERT_EQ(simulation.estimator.jumps(), 0u) << "seed " << seed;
  }
}

TEST(OffsetEstimatorTest, WithEqualDelaysTheEstimateIsMuchBetterThanTheBound) {
  Simulation simulation(7, 50, 1000);  // one rate each
  simulation.link = {200'000, 200'000, 20'000, 20'000};
  simulation.exchange(0, 60 * second, 0.1 * second);
  for (double moment = 1 * second; moment < 60 * second; moment += 0.7 * second) {
    const auto bound = simulation.bound_at(moment);
    ASSERT_TRUE(bound);
    EXPECT_LT(*bound, 20'000'000);
    EXPECT_LT(std::abs(simulation.error_at(moment)), *bound / 5) << moment;
  }
}

TEST(OffsetEstimatorTest, TheDriftIsEstimatedOnceExchangesSpanEnoughTime) {
  Simulation simulation(3, 90, 1000);
  simulation.exchange(0, 60 * second, 0.5 * second);
  const double there =
      static_cast<double>(simulation.there.reading(60 * second) - simulation.there.reading(0));
  const double here = static_cast<double>(simulation.here.reading(60 * second) - simulation.here.reading(0));
  EXPECT_NEAR(simulation.estimator.relation().drift_ppm, (here / there - 1) * 1e6, 2);
}

TEST(OffsetEstimatorTest, WithUnequalDelaysTheEstimateIsOffAndTheBoundSaysSo) {
  Simulation simulation(5, 50);
  simulation.link = {1'000'000, 9'000'000, 1'000, 1'000};
  simulation.exchange(0, 20 * second, 0.1 * second);
  EXPECT_GT(std::abs(simulation.error_at(20 * second)), 3'000'000);
  EXPECT_EQ(simulation.lie_about(20 * second), "");
}

TEST(OffsetEstimatorTest, TheFastestIsOneOfThoseThatAreKept) {
  OffsetEstimator estimator({.oldest_ns = 3'000'000'000});
  const auto exchange = [&](double at_s, std::int64_t way_ns) {
    const auto sent = static_cast<std::int64_t>(at_s * second);
    estimator.add({sent, sent + way_ns, sent + way_ns, sent + 2 * way_ns});
    return estimator.fastest_ns().value_or(0);
  };
  constexpr std::int64_t rounding = 2;
  EXPECT_FALSE(estimator.fastest_ns());
  EXPECT_EQ(exchange(10.1, 50'000), 100'000 + rounding);
  EXPECT_EQ(exchange(10.2, 90'000), 100'000 + rounding);
  EXPECT_EQ(exchange(10.3, 20'000), 40'000 + rounding);
  EXPECT_EQ(exchange(11.1, 30'000), 40'000 + rounding);
  EXPECT_EQ(exchange(14.0, 45'000), 60'000 + rounding) << "the faster one is too old";
  estimator.begin_anew();
  EXPECT_FALSE(estimator.fastest_ns());
}

TEST(OffsetEstimatorTest, FastExchangesAmongSlowOnesCount) {
  Simulation simulation(11, 20, 1000);
  for (int i = 0; i < 200; ++i) {
    const bool is_fast = i % 17 == 0;
    simulation.link =
        is_fast ? SimulatedLink{50'000, 50'000, 1'000, 1'000} : SimulatedLink{50'000, 8e6, 1e6, 1'000};
    simulation.exchange(i * 0.1 * second);
  }
  EXPECT_LT(std::abs(simulation.error_at(20 * second)), 50'000);
  EXPECT_LT(*simulation.bound_at(19.9 * second), 1'000'000);
}

// The error between exchanges follows from the order of their times: an exchange out of order would make it
// too small.
TEST(OffsetEstimatorTest, AnExchangeAnsweredBeforeTheOneAddedLastDoesNotChangeTheErrorBetweenOthers) {
  constexpr std::int64_t milli = 1'000'000;
  const auto exchange = [](std::int64_t received, std::int64_t answered, std::int64_t way) {
    return ClockExchange{received - way, received, answered, answered + way};
  };
  const ClockExchange first = exchange(1000 * milli, 1000 * milli, 10'000);
  const ClockExchange next = exchange(1300 * milli, 1400 * milli, 10'000);
  const ClockExchange overtaken =
      exchange(1310 * milli, 1350 * milli, 200 * milli);  // by the reply of `next`
  const ClockExchange last = exchange(1600 * milli, 1600 * milli, 10'000);
  OffsetEstimator with, without;
  for (const auto& added : {first, next, overtaken, last}) with.add(added);
  for (const auto& added : {first, next, last}) without.add(added);
  EXPECT_EQ(with.jumps(), 0u);
  EXPECT_EQ(with.relation(), without.relation());
  // The middle of the first two answers is 200 ms from either: 200 ppm of that are 40 us.
  EXPECT_NEAR(static_cast<double>(with.relation().covered_error_ns), 10'000 + 40'000, 10);
}

// --- clocks that jump -------------------------------------------------------------------------------

class JumpingClockTest : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(BySeconds, JumpingClockTest,
                         testing::Values(0.002, 1.0, 3600.0, -0.002, -1.0, -100.0, -3600.0));

TEST_P(JumpingClockTest, OfTheServerIsNoticedAndEarlierTimesHaveNoBound) {
  Simulation simulation(21, 50);
  simulation.there.step(10 * second, GetParam() * second);
  simulation.exchange(0, 10 * second, 0.1 * second);
  EXPECT_EQ(simulation.estimator.jumps(), 0u);
  simulation.exchange(10.05 * second, 20 * second, 0.1 * second);
  EXPECT_EQ(simulation.estimator.jumps(), 1u);
  EXPECT_EQ(simulation.lie_about(20 * second), "");
  EXPECT_LT(std::abs(simulation.error_at(20 * second)), 100'000);
  for (double moment = 0; moment < 20 * second; moment += 0.01 * second) {
    EXPECT_EQ(simulation.lie_about(moment), "");
  }
  EXPECT_FALSE(simulation.bound_at(9.9 * second));
  if (GetParam() > -9) {
    EXPECT_TRUE(simulation.bound_at(20 * second));
  }
}

TEST_P(JumpingClockTest, OfTheClientIsNoticed) {
  Simulation simulation(22, 50);
  simulation.here.step(10 * second, GetParam() * second);
  simulation.exchange(0, 20 * second, 0.1 * second);
  EXPECT_EQ(simulation.estimator.jumps(), 1u);
  EXPECT_LT(std::abs(simulation.error_at(20 * second)), 100'000);
  EXPECT_EQ(simulation.lie_about(20 * second), "");
  EXPECT_FALSE(simulation.bound_at(9 * second));
  if (GetParam() < 9) {  // forwards could be the server's backwards
    EXPECT_TRUE(simulation.bound_at(20 * second));
  }
}

TEST(OffsetEstimatorTest, NoBoundIsFalseHoweverTheClocksJump) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Simulation simulation(seed);
    for (int i = 0; i < 3; ++i) {
      SimulatedClock& jumping = simulation.uniform(0, 1) < 0.5 ? simulation.here : simulation.there;
      const double by = simulation.log_uniform(0.05 * second, 1000 * second);
      const double moment = simulation.uniform(0, 100 * second);
      jumping.step(moment, simulation.uniform(0, 1) < 0.5 ? by : -by);
    }
    for (double moment = 0; moment < 100 * second; moment += 0.5 * second) {
      simulation.exchange(moment);
      for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(simulation.lie_about(simulation.uniform(0, moment)), "") << "seed " << seed;
      }
    }
    EXPECT_GT(simulation.estimator.jumps(), 0u) << "seed " << seed;
  }
}

TEST(OffsetEstimatorTest, AnExchangeDuringAJumpIsNotUsed) {
  OffsetEstimator estimator;
  estimator.add({1'000, 501'000, 501'100, 2'000});
  estimator.add({100'000, 601'000, 1'601'100, 102'000});  // a millisecond passed there, two microseconds here
  EXPECT_EQ(estimator.jumps(), 1u);
  EXPECT_FALSE(estimator.relation().known);
  estimator.add({200'000, 1'701'000, 1'701'100, 202'000});
  EXPECT_TRUE(estimator.relation().known);
  EXPECT_GE(estimator.relation().bounded_since_ns, 1'701'000);
}

TEST(OffsetEstimatorTest, AnotherClockOfTheServerStartsOver) {
  Simulation simulation(31);
  simulation.exchange(0, 5 * second, 0.1 * second);
  simulation.estimator.begin_anew();
  EXPECT_FALSE(simulation.estimator.relation().known);
  EXPECT_EQ(simulation.estimator.relation().jumps, 1u);
  simulation.there.step(6 * second, -5'000 * second);
  simulation.exchange(7 * second, 9 * second, 0.1 * second);
  EXPECT_EQ(simulation.estimator.jumps(), 1u);
  EXPECT_EQ(simulation.lie_about(9 * second), "");
  EXPECT_TRUE(simulation.bound_at(9 * second));
}

// Clocks whose rates differ by more than assumed show as jumps, not as a bound that holds only for a while.
TEST(OffsetEstimatorTest, ADriftBeyondTheAssumedOneIsNoticed) {
  Simulation simulation(41, 0.001, 1000);
  for (int i = 0; i < 100; ++i) simulation.there.step(i * 0.1 * second, 100'000);  // 1000 ppm
  simulation.exchange(0, 10 * second, 0.1 * second);
  EXPECT_GT(simulation.estimator.jumps(), 0u);
}

TEST(OffsetEstimatorTest, NoTimesFromAPeerDoHarm) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> extremes{least, least + 1, -1, 0, 1, most - 1, most};
  OffsetEstimator estimator;
  for (const std::int64_t sent : extremes) {
    for (const std::int64_t received : extremes) {
      for (const std::int64_t answered : extremes) {
        for (const std::int64_t arrived : extremes) {
          estimator.add({sent, received, answered, arrived});
          const ClockRelation relation = estimator.relation();
          for (const std::int64_t time : extremes) {
            const auto error = relation.here(time).error_ns;
            EXPECT_TRUE(!error || *error >= 0);
          }
          EXPECT_TRUE(std::isfinite(relation.drift_ppm));
        }
      }
    }
  }
}

}  // namespace
}  // namespace eventspace
