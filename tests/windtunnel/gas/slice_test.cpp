#include "apps/windtunnel/gas/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "apps/windtunnel/gas/tunnel.h"

namespace eventspace::windtunnel {
namespace {

// So thin that no particle comes in and none exists at the start.
TunnelConfig vacuum(Obstacle obstacle = Obstacle::none) {
  return {.n = 64, .obstacle = obstacle, .density = 1e-9, .speed = 0};
}

struct Particle {
  Channel channel;
  std::size_t row;
  std::size_t column;
  friend bool operator==(const Particle&, const Particle&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Particle& particle) {
    return out << "channel " << index_of(particle.channel) << " at row " << particle.row << ", column "
               << particle.column;
  }
};

std::vector<Particle> particles_in(const Tunnel& tunnel) {
  std::vector<Particle> found;
  for (const auto& slice : tunnel.slices())
    for (auto row = slice.rows().first; row < slice.rows().last; ++row)
      for (const auto channel : kAllChannels)
        for (std::size_t column = 0; column < slice.config().columns(); ++column)
          if (test_bit(slice.particles(channel, row), column)) found.push_back({channel, row, column});
  return found;
}

// Returns where a single particle is after so many steps.
std::vector<Particle> after(int steps, Particle particle, Tunnel tunnel) {
  EXPECT_TRUE(tunnel.place(particle.channel, particle.row, particle.column));
  for (int i = 0; i < steps; ++i) tunnel.step();
  return particles_in(tunnel);
}

class InSlices : public ::testing::TestWithParam<std::size_t> {
 protected:
  static Tunnel tunnel(Obstacle obstacle = Obstacle::none) { return Tunnel(vacuum(obstacle), GetParam()); }

  static void expect_move(Particle from, Particle to, int steps = 1) {
    EXPECT_THAT(after(steps, from, tunnel()), ::testing::ElementsAre(to)) << "from " << from;
  }
};

INSTANTIATE_TEST_SUITE_P(LoneParticle, InSlices, ::testing::Values(1, 3, 64));

TEST_P(InSlices, MovesToItsNeighbourFromAnEvenColumn) {
  expect_move({Channel::north, 20, 30}, {Channel::north, 19, 30});
  expect_move({Channel::north_east, 20, 30}, {Channel::north_east, 19, 31});
  expect_move({Channel::south_east, 20, 30}, {Channel::south_east, 20, 31});
  expect_move({Channel::south, 20, 30}, {Channel::south, 21, 30});
  expect_move({Channel::south_west, 20, 30}, {Channel::south_west, 20, 29});
  expect_move({Channel::north_west, 20, 30}, {Channel::north_west, 19, 29});
  expect_move({Channel::rest, 20, 30}, {Channel::rest, 20, 30});
}

TEST_P(InSlices, MovesToItsNeighbourFromAnOddColumn) {
  expect_move({Channel::north, 20, 31}, {Channel::north, 19, 31});
  expect_move({Channel::north_east, 20, 31}, {Channel::north_east, 20, 32});
  expect_move({Channel::south_east, 20, 31}, {Channel::south_east, 21, 32});
  expect_move({Channel::south, 20, 31}, {Channel::south, 21, 31});
  expect_move({Channel::south_west, 20, 31}, {Channel::south_west, 21, 30});
  expect_move({Channel::north_west, 20, 31}, {Channel::north_west, 20, 30});
}

TEST_P(InSlices, MovesAcrossTheEdgeOfAWord) {
  expect_move({Channel::north_east, 20, 63}, {Channel::north_east, 20, 64});
  expect_move({Channel::south_east, 20, 63}, {Channel::south_east, 21, 64});
  expect_move({Channel::north_west, 20, 64}, {Channel::north_west, 19, 63});
  expect_move({Channel::south_west, 20, 64}, {Channel::south_west, 20, 63});
}

// Two columns further, the particle is a whole row further north or south.
TEST_P(InSlices, MovesAlongAStraightLine) {
  expect_move({Channel::north_east, 40, 10}, {Channel::north_east, 20, 50}, 40);
  expect_move({Channel::south_west, 20, 110}, {Channel::south_west, 40, 70}, 40);
  expect_move({Channel::south_east, 20, 11}, {Channel::south_east, 35, 41}, 30);
  expect_move({Channel::north_west, 50, 101}, {Channel::north_west, 30, 61}, 40);
}

TEST_P(InSlices, LeavesAtTheEnds) {
  for (const auto channel : {Channel::north_east, Channel::south_east})
    EXPECT_TRUE(after(1, {channel, 20, 127}, tunnel()).empty());
  for (const auto channel : {Channel::north_west, Channel::south_west})
    EXPECT_TRUE(after(1, {channel, 20, 0}, tunnel()).empty());
}

// One step into the wall, and one back.
TEST_P(InSlices, ComesBackFromTheWalls) {
  expect_move({Channel::north, 1, 30}, {Channel::south, 1, 30}, 2);
  expect_move({Channel::north_east, 1, 30}, {Channel::south_west, 1, 30}, 2);
  expect_move({Channel::north_west, 1, 30}, {Channel::south_east, 1, 30}, 2);
  expect_move({Channel::south, 62, 31}, {Channel::north, 62, 31}, 2);
  expect_move({Channel::south_east, 62, 31}, {Channel::north_west, 62, 31}, 2);
  expect_move({Channel::south_west, 62, 31}, {Channel::north_east, 62, 31}, 2);
}

// The plate begins in column 31: fourteen steps to it, and sixteen back along the same line.
TEST_P(InSlices, ComesBackFromThePlate) {
  EXPECT_THAT(after(30, {Channel::south_east, 25, 17}, tunnel(Obstacle::plate)),
              ::testing::ElementsAre(Particle{Channel::north_west, 24, 15}));
}

TEST_P(InSlices, NeverPassesTheRingBehindTheWalls) {
  auto gas = Tunnel({.n = 64}, GetParam());
  for (int step = 0; step < 20; ++step) {
    gas.step();
    for (const auto channel : leaving(Side::south))
      for (const auto word : gas.slices().front().particles(channel, 0)) EXPECT_EQ(word, 0U);
    for (const auto channel : leaving(Side::north))
      for (const auto word : gas.slices().back().particles(channel, 63)) EXPECT_EQ(word, 0U);
  }
}

TEST(Slice, CollisionsAloneKeepMassAndMomentum) {
  Slice gas({.n = 128}, {1, 40});  // above the cylinder, so that nothing is solid
  const auto before = gas.totals();
  for (std::uint64_t step = 0; step < 10; ++step) {
    gas.collide(step);
    EXPECT_EQ(gas.totals(), before);
  }
}

TEST(Slice, TurningRoundKeepsMassAndReversesMomentum) {
  Slice wall(vacuum(), {0, 1});
  wall.place(Channel::north, 0, 5);
  wall.place(Channel::north_east, 0, 6);
  wall.place(Channel::rest, 0, 6);
  EXPECT_EQ(wall.totals(), (Totals{3, 1, -3}));
  wall.collide(0);
  EXPECT_EQ(wall.totals(), (Totals{3, -1, 3}));
}

TEST(Slice, PlacesAParticleOnlyWhereThereIsRoom) {
  Slice slice(vacuum(), {10, 12});
  EXPECT_TRUE(slice.place(Channel::rest, 10, 0));
  EXPECT_FALSE(slice.place(Channel::rest, 10, 0));
  EXPECT_THROW(slice.place(Channel::rest, 9, 0), std::out_of_range);
  EXPECT_THROW(slice.place(Channel::rest, 12, 0), std::out_of_range);
  EXPECT_THROW(slice.place(Channel::rest, 10, 128), std::out_of_range);
}

TEST(Slice, RefusesRowsThatAreNotInTheTunnel) {
  EXPECT_THROW(Slice(vacuum(), {5, 5}), std::invalid_argument);
  EXPECT_THROW(Slice(vacuum(), {0, 65}), std::invalid_argument);
  EXPECT_THROW(Slice({.n = 63}, {0, 1}), std::invalid_argument);
}

TEST(Slice, RefusesAHaloThatDoesNotFit) {
  Slice slice(vacuum(), {10, 12});
  const std::vector<std::uint64_t> row(2);
  const std::vector<std::uint64_t> long_row(3);
  EXPECT_NO_THROW(slice.set_halo(Side::north, Channel::south_east, row));
  EXPECT_THROW(slice.set_halo(Side::north, Channel::south_east, long_row), std::invalid_argument);
  EXPECT_THROW(slice.set_halo(Side::north, Channel::north_east, row), std::invalid_argument);
  EXPECT_THROW(slice.set_halo(Side::south, Channel::rest, row), std::invalid_argument);
}

}  // namespace
}  // namespace eventspace::windtunnel
