#include "apps/windtunnel/gas/balance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/windtunnel/gas/channel.h"
#include "apps/windtunnel/gas/settings.h"

namespace eventspace::windtunnel {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A whole tunnel as one slice, which is its own neighbour.
class Balanced : public ::testing::TestWithParam<Obstacle> {
 protected:
  void step(std::uint64_t number) {
    slice.collide(number);
    impulses += impulse_of(slice);
    for (const auto side : kSides)
      for (const auto channel : leaving(side))
        slice.set_halo(opposite(side), channel, slice.border(side, channel));
    flow += slice.propagate(number);
  }
  Tuple balance() const { return to_tuple(balance_of(slice, before, impulses)); }

  Slice slice{{.n = 96, .obstacle = GetParam(), .seed = 3}, {0, 96}};
  Totals before = slice.totals();
  Totals impulses;
  Throughput flow;
};
INSTANTIATE_TEST_SUITE_P(Obstacles, Balanced,
                         ::testing::Values(Obstacle::none, Obstacle::plate, Obstacle::cylinder),
                         [](const auto& shown) { return to_string(shown.param); });

TEST_P(Balanced, MassAndMomentumAreConservedToTheLastParticle) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    step(i);
    EXPECT_NO_THROW(require_balance(balance(), i + 1));
  }
  EXPECT_NE(impulses.momentum_x, 0) << "the walls must slow the gas down";
  EXPECT_EQ(slice.carried().mass, flow.injected - flow.left);
  EXPECT_NE(slice.totals(), before);
}

TEST_P(Balanced, AParticleTooManyIsNoticed) {
  for (std::uint64_t i = 0; i < 10; ++i) step(i);
  std::size_t column = 40;
  while (!slice.place(Channel::north_east, 30, column)) ++column;
  EXPECT_THAT([this] { require_balance(balance(), 10); },
              ThrowsMessage<std::runtime_error>(HasSubstr("the gas is not conserved: after 10 steps")));
}

TEST(Balance, OneUnitOfMomentumIsNoticed) {
  const Balance even{{7, 1, -2}, {7, 1, -2}};
  EXPECT_NO_THROW(require_balance(to_tuple(even), 1));
  const Balance odd{{7, 1, -2}, {7, 1, -1}};
  EXPECT_THROW(require_balance(to_tuple(odd), 1), std::runtime_error);
}

}  // namespace
}  // namespace eventspace::windtunnel
