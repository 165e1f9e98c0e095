#include "paths/server_clock.h"

#include <gtest/gtest.h>

#include <limits>

namespace eventspace {
namespace {

constexpr std::uint64_t own = 0xfeed;
constexpr std::uint64_t other = 0xbeef;

TEST(ServerClockTest, IsUnknownUntilItWasHeard) { EXPECT_FALSE(ServerClock(own).relation().known); }

TEST(ServerClockTest, TheAskersOwnClockNeedsNoEstimate) {
  ServerClock clock(own);
  clock.compare(1000, {1400, 1500, own}, 3000);
  EXPECT_TRUE(clock.relation().is_same());
  EXPECT_EQ(clock.relation().here(12345).ns, 12345);
  EXPECT_EQ(clock.relation().here(12345).error_ns, 0);
}

TEST(ServerClockTest, AnyOtherIsEstimated) {
  for (const std::uint64_t mine : {own, std::uint64_t{0}}) {
    ServerClock clock(mine);
    clock.compare(1000, {51'400, 51'500, mine == 0 ? 0 : other}, 3000);
    EXPECT_FALSE(clock.relation().is_same());
    EXPECT_NEAR(static_cast<double>(clock.relation().offset_ns), -49'450, 10);
    EXPECT_GT(clock.relation().error_ns, 900);
  }
}

// Machines made from one image can have one identity and two clocks.
TEST(ServerClockTest, AnIdentityIsBelievedOnlyWhileNoExchangeContradictsIt) {
  ServerClock clock(own);
  clock.compare(1000, {1400, 1500, own}, 3000);
  clock.compare(4000, {3900, 3950, own}, 5000);  // received before it was sent
  EXPECT_FALSE(clock.relation().is_same());
  clock.compare(6000, {6100, 6200, own}, 6300);
  EXPECT_FALSE(clock.relation().is_same());
}

TEST(ServerClockTest, AServerOnAnotherMachineIsAnotherClock) {
  ServerClock clock(own);
  clock.compare(1'000'000, {9'000'000, 9'000'100, other}, 1'001'000);
  clock.compare(2'000'000, {500, 600, other + 1}, 2'001'000);
  EXPECT_EQ(clock.relation().jumps, 1u);
  EXPECT_TRUE(clock.relation().here(500).error_ns);
  EXPECT_NEAR(static_cast<double>(clock.relation().here(500).ns), 2'000'450, 10);
  clock.compare(3'000'000, {3'000'100, 3'000'200, own}, 3'000'300);
  EXPECT_TRUE(clock.relation().is_same());
  EXPECT_EQ(clock.relation().jumps, 2u);
}

TEST(ServerClockTest, NoTimesFromOutsideDoHarm) {
  ServerClock clock(own);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const wire::ServerTimes& times : {wire::ServerTimes{most, 0, other}, wire::ServerTimes{0, most, other},
                                         wire::ServerTimes{most, most, own}, wire::ServerTimes{0, 0, 0}}) {
    clock.compare(1000, times, 2000);
    const auto error = clock.relation().here(1500).error_ns;
    EXPECT_TRUE(!error || *error >= 0);
  }
}

}  // namespace
}  // namespace eventspace
