#include "apps/windtunnel/gas/field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "apps/windtunnel/gas/tunnel.h"

namespace eventspace::windtunnel {
namespace {

Cell sum_of(const Field& field) {
  Cell sum;
  for (const auto& cell : field.cells()) sum += cell;
  return sum;
}

TEST(Field, AddsUpToTheTotals) {
  const Tunnel tunnel({.n = 96});
  const auto sum = sum_of(tunnel.sample(16));
  const auto totals = tunnel.totals();
  EXPECT_EQ(sum.mass, totals.mass);
  EXPECT_EQ(sum.momentum_x, totals.momentum_x);
  EXPECT_EQ(sum.momentum_y, totals.momentum_y);
  EXPECT_EQ(sum.sites, 96 * 192);
  EXPECT_LT(sum.open, sum.sites - 384);
}

TEST(Field, LeavesOutWhatIsBeingTurnedRound) {
  Slice wall({.n = 64, .density = 1e-9, .speed = 0}, {0, 2});
  wall.place(Channel::north, 0, 5);
  wall.place(Channel::north, 1, 5);
  EXPECT_EQ(sum_of(sample(wall, 8)), (Cell{1, 0, -2, 128, 256}));
}

TEST(Field, DoesNotDependOnTheSlices) {
  const TunnelConfig config{.n = 96};
  const auto whole = Tunnel(config).sample(8);
  for (const std::size_t slices : {2U, 7U, 96U})
    EXPECT_TRUE(std::ranges::equal(Tunnel(config, slices).sample(8).cells(), whole.cells()));
}

TEST(Field, PutsAParticleIntoItsCell) {
  Slice slice({.n = 64, .obstacle = Obstacle::none, .density = 1e-9, .speed = 0}, {20, 40});
  slice.place(Channel::south_west, 33, 71);
  const auto field = sample(slice, 24);
  EXPECT_EQ(field.rows(), (RowRange{0, 2}));
  EXPECT_EQ(field.columns(), 6U);  // the last one is cut off
  EXPECT_EQ(field.at(1, 2), (Cell{1, -1, 1, 384, 384}));
  EXPECT_EQ(field.at(1, 5), (Cell{0, 0, 0, 128, 128}));
  EXPECT_EQ(sum_of(field).mass, 1);
}

TEST(Field, SmoothedAddsUpTheNeighbours) {
  Field field({.n = 64}, 8);
  field.at(3, 0).mass = 5;
  field.at(3, 2).mass = 7;
  const auto smoothed = field.smoothed(1);
  EXPECT_EQ(smoothed.at(2, 0).mass, 5);
  EXPECT_EQ(smoothed.at(4, 1).mass, 12);
  EXPECT_EQ(smoothed.at(3, 3).mass, 7);
  EXPECT_EQ(smoothed.at(5, 1).mass, 0);
  EXPECT_TRUE(std::ranges::equal(field.smoothed(0).cells(), field.cells()));
}

TEST(Field, RefusesCellsThatDoNotFit) {
  const TunnelConfig config{.n = 64};
  for (const std::size_t cell : {0U, 4U, 12U, 72U}) EXPECT_THROW(Field(config, cell), std::invalid_argument);
  Field field(config, 8);
  EXPECT_THROW(field += Field(config, 16), std::invalid_argument);
  EXPECT_THROW(field += Field({.n = 96}, 8), std::invalid_argument);
  Field part(config, 8, {16, 32});
  EXPECT_NO_THROW(field += part);
  EXPECT_THROW(part += field, std::invalid_argument);
}

}  // namespace
}  // namespace eventspace::windtunnel
