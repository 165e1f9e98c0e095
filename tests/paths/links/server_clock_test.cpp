#include "paths/links/server_clock.h"

#include <gtest/gtest.h>

#include <limits>

namespace eventspace {
namespace {

constexpr std::uint64_t own = 0xfeed;
constexpr std::uint64_t other = 0xbeef;

TEST(ServerClockTest, IsUnknownBeforeTheFirstReply) { EXPECT_FALSE(ServerClock(own).relation().known); }

TEST(ServerClockTest, TheClientsOwnClockNeedsNoEstimate) {
  ServerClock clock(own);
  clock.compare(1000, {1400, 1500, own}, 3000);
  EXPECT_TRUE(clock.relation().is_same());
  EXPECT_EQ(clock.relation().here(12345).ns, 12345);
  EXPECT_EQ(clock.relation().here(12345).error_ns, 0);
}

TEST(ServerClockTest, AnotherClockIsEstimated) {
  for (const std::uint64_t mine : {own, std::uint64_t{0}}) {
    ServerClock clock(mine);
    clock.compare(1000, {51'400, 51'500, mine == 0 ? 0 : other}, 3000);
    EXPECT_FALSE(clock.relation().is_same());
    EXPECT_NEAR(static_cast<double>(clock.relation().offset_ns), -49'450, 10);
    EXPECT_GT(clock.relation().error_ns, 900);
  }
}

// Two machines made from one image can have the same identity and different clocks.
TEST(ServerClockTest, AnIdentityIsBelievedOnlyWhileNoExchangeContradictsIt) {
  ServerClock clock(own);
  clock.compare(1000, {1400, 1500, own}, 3000);
  clock.compare(4000, {3900, 3950, own}, 5000);  // received before it was sent
  EXPECT_FALSE(clock.relation().is_same());
  clock.compare(6000, {6100, 6200, own}, 6300);
  EXPECT_FALSE(clock.relation().is_same());
}

TEST(ServerClockTest, AServerOnAnotherMachineHasAnotherClock) {
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

constexpr std::uint64_t ms = 1'000'000;

/// An exchange whose ways took `way_ns` each, with a server whose clock is a second ahead.
void exchange(ServerClock& clock, std::uint64_t sent_ns, std::uint64_t way_ns, std::uint64_t of = other) {
  const std::uint64_t received_ns = sent_ns + way_ns + 1000 * ms;
  clock.compare(sent_ns, {received_ns, received_ns + 5000, of}, sent_ns + 5000 + 2 * way_ns);
}

TEST(ServerClockTest, IsStaleLongAfterTheLastFastExchange) {
  ServerClock clock(own);
  EXPECT_FALSE(clock.is_stale(1000 * ms)) << "nothing is known of its server's times";
  exchange(clock, 1000 * ms, 40'000);
  EXPECT_FALSE(clock.is_stale(1001 * ms));
  EXPECT_TRUE(clock.is_stale(1300 * ms));
  exchange(clock, 1300 * ms, 400'000);
  EXPECT_TRUE(clock.is_stale(1301 * ms)) << "that was a slow one";
  exchange(clock, 1302 * ms, 50'000);
  EXPECT_FALSE(clock.is_stale(1303 * ms));
}

// For example from a gateway that waited for a child: the clocks may have drifted apart in that time.
TEST(ServerClockTest, ASlowReplyDoesNotCountAsFast) {
  ServerClock clock(own);
  exchange(clock, 1000 * ms, 40'000);
  const std::uint64_t there = 2300 * ms;
  clock.compare(1300 * ms, {there, there + 2'000'400'000, other}, 1300 * ms + 2'000'380'000);
  EXPECT_TRUE(clock.is_stale(3600 * ms));
  exchange(clock, 3600 * ms, 400'000);
  EXPECT_TRUE(clock.is_stale(3601 * ms)) << "nor is any other fast for it";
  exchange(clock, 3602 * ms, 45'000);
  EXPECT_FALSE(clock.is_stale(3603 * ms));
}

TEST(ServerClockTest, TheClientsOwnClockIsNeverStale) {
  ServerClock clock(own);
  clock.compare(1000 * ms, {1001 * ms, 1001 * ms, own}, 1002 * ms);
  EXPECT_FALSE(clock.is_stale(9000 * ms));
}

TEST(ServerClockTest, NoTimesFromAPeerDoHarm) {
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
