#include "apps/windtunnel/gas/geometry.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "apps/windtunnel/gas/bit_matrix.h"

namespace eventspace::windtunnel {
namespace {

std::size_t solid_inside(const TunnelConfig& config) {
  std::size_t count = 0;
  for (std::size_t row = 1; row + 1 < config.rows(); ++row)
    for (std::size_t column = 0; column < config.columns(); ++column)
      count += is_solid(config, row, column) ? 1U : 0U;
  return count;
}

TEST(Geometry, TopAndBottomRowAreWalls) {
  const TunnelConfig config{.n = 64, .obstacle = Obstacle::none};
  for (std::size_t column = 0; column < config.columns(); ++column) {
    EXPECT_TRUE(is_solid(config, 0, column));
    EXPECT_TRUE(is_solid(config, 63, column));
  }
  EXPECT_EQ(solid_inside(config), 0U);
}

// A site of the hexagonal lattice takes an area of sqrt(3)/2.
TEST(Geometry, CylinderIsRound) {
  const TunnelConfig config{.n = 960, .obstacle = Obstacle::cylinder};
  const double area = static_cast<double>(solid_inside(config)) * std::numbers::sqrt3 / 2;
  EXPECT_NEAR(area / (std::numbers::pi * 96 * 96), 1.0, 0.01);
}

TEST(Geometry, PlateStandsAcrossTheFlow) {
  const TunnelConfig config{.n = 960, .obstacle = Obstacle::plate};
  std::size_t high = 0;
  for (std::size_t row = 1; row + 1 < config.rows(); ++row) high += is_solid(config, row, 480) ? 1U : 0U;
  EXPECT_NEAR(static_cast<double>(high), 192, 1);
  EXPECT_FALSE(is_solid(config, 495, 460));
  EXPECT_FALSE(is_solid(config, 495, 500));
}

TEST(Geometry, ObstaclesKeepClearOfTheEndsAndTheWalls) {
  for (const auto obstacle : {Obstacle::plate, Obstacle::cylinder})
    for (const std::size_t n : {32U, 64U, 960U}) {
      const TunnelConfig config{.n = n, .obstacle = obstacle};
      EXPECT_GT(solid_inside(config), 0U);
      for (std::size_t column = 0; column < config.columns(); ++column)
        EXPECT_FALSE(is_solid(config, 1, column) || is_solid(config, n - 2, column));
      for (std::size_t row = 1; row + 1 < n; ++row)
        EXPECT_FALSE(is_solid(config, row, 0) || is_solid(config, row, 2 * n - 1));
    }
}

TEST(Geometry, DrawnRowsAreWhatIsSolid) {
  const TunnelConfig config{.n = 64};
  for (std::size_t row = 0; row < config.rows(); ++row) {
    std::vector<std::uint64_t> words(config.words());
    draw_solid(config, row, words);
    for (std::size_t column = 0; column < config.columns(); ++column)
      EXPECT_EQ(test_bit(words, column), is_solid(config, row, column));
  }
}

}  // namespace
}  // namespace eventspace::windtunnel
