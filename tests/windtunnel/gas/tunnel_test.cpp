#include "apps/windtunnel/gas/tunnel.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace eventspace::windtunnel {
namespace {

struct Outcome {
  Totals totals;
  Throughput flow;
  std::uint64_t checksum = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const TunnelConfig& config, std::size_t slices, int steps) {
  Tunnel tunnel(config, slices);
  Outcome outcome;
  for (int i = 0; i < steps; ++i) outcome.flow += tunnel.step();
  outcome.totals = tunnel.totals();
  outcome.checksum = tunnel.checksum();
  return outcome;
}

double mean_speed(const Totals& totals) {
  return kUnitX * static_cast<double>(totals.momentum_x) / static_cast<double>(totals.mass);
}

class WithObstacle : public ::testing::TestWithParam<Obstacle> {};

INSTANTIATE_TEST_SUITE_P(Tunnel, WithObstacle,
                         ::testing::Values(Obstacle::none, Obstacle::plate, Obstacle::cylinder));

TEST_P(WithObstacle, IsBitIdenticalForEveryNumberOfSlices) {
  const TunnelConfig config{.n = 160, .obstacle = GetParam(), .seed = 7};
  const auto whole = run(config, 1, 60);
  for (const std::size_t slices : {2U, 7U, 140U, 160U})
    EXPECT_EQ(run(config, slices, 60), whole) << slices << " slices";
}

TEST_P(WithObstacle, ChangesItsMassByWhatComesInAndLeaves) {
  Tunnel tunnel({.n = 96, .obstacle = GetParam()}, 5);
  for (int step = 0; step < 200; ++step) {
    const auto before = tunnel.totals().mass;
    const auto flow = tunnel.step();
    ASSERT_EQ(tunnel.totals().mass, before + flow.injected - flow.left) << "step " << step;
    EXPECT_GT(flow.injected, 0);
    EXPECT_GT(flow.left, 0);
  }
}

TEST_P(WithObstacle, KeepsFlowingEastwards) {
  const TunnelConfig config{.n = 96, .obstacle = GetParam()};
  const auto outcome = run(config, 1, 600);
  EXPECT_GT(mean_speed(outcome.totals), 0.3 * config.speed);
  EXPECT_LT(mean_speed(outcome.totals), 1.2 * config.speed);
}

TEST(Tunnel, StartsWithTheDensityAndTheSpeedAskedFor) {
  const TunnelConfig config{.n = 256, .obstacle = Obstacle::none, .density = 0.2, .speed = 0.25};
  const auto totals = Tunnel(config).totals();
  const auto open = static_cast<double>(config.sites() - 2 * config.columns());
  EXPECT_NEAR(static_cast<double>(totals.mass) / open, 7 * config.density, 0.01);
  EXPECT_NEAR(mean_speed(totals), config.speed, 0.005);
}

TEST(Tunnel, DoesNotMoveWithoutASpeed) {
  const auto outcome = run({.n = 96, .obstacle = Obstacle::none, .speed = 0}, 1, 300);
  EXPECT_NEAR(mean_speed(outcome.totals), 0, 0.02);
}

TEST(Tunnel, IsAnotherOneForAnotherSeed) {
  EXPECT_NE(run({.n = 64, .seed = 1}, 1, 1).checksum, run({.n = 64, .seed = 2}, 1, 1).checksum);
}

TEST(Tunnel, IsAnotherOneForASingleParticle) {
  Tunnel tunnel({.n = 64, .density = 1e-9, .speed = 0});
  const auto before = tunnel.checksum();
  EXPECT_TRUE(tunnel.place(Channel::rest, 40, 100));
  EXPECT_NE(tunnel.checksum(), before);
}

// Guards against unintended changes of the rule, the random numbers or the geometry.
TEST(Tunnel, IsWhatItHasAlwaysBeen) {
  EXPECT_EQ(run({.n = 64, .seed = 1}, 3, 100).checksum, 1829051098933205956U);
}

TEST(Tunnel, RefusesMoreSlicesThanRows) {
  EXPECT_THROW(Tunnel({.n = 64}, 65), std::invalid_argument);
  EXPECT_THROW(Tunnel({.n = 64}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace eventspace::windtunnel
