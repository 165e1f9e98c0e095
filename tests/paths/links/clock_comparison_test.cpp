#include "paths/links/clock_comparison.h"

#include <gtest/gtest.h>

namespace eventspace::test {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t own = 7;
constexpr std::uint64_t request = 25;

/// The comparison of a link with a server whose clock is 5 s ahead, after one fast exchange. Only the test
/// moves the time.
class ClockComparisonTest : public testing::Test {
 protected:
  ClockComparisonTest() { comparison.compare(now, times(99), now + 1000); }

  [[nodiscard]] wire::ServerTimes times(std::uint64_t clock) const {
    return {now + 5000 * ms, now + 5000 * ms + 100, clock};
  }
  void send_ping(std::uint64_t id) { comparison.sent(id, now); }
  /// The reply to the ping comes that much later. Returns the number of the next ping; 0 if there is none.
  std::uint64_t answer_after(std::uint64_t delay_ns) {
    const wire::ServerTimes answered = times(99);
    now += 1000 + delay_ns;
    return comparison.answer(answered, now).value_or(0);
  }

  ClockComparison comparison{own};
  std::uint64_t now{1000 * ms};
};

TEST_F(ClockComparisonTest, ItIsDueAfterAPause) {
  EXPECT_FALSE(comparison.is_due(now + 100 * ms));
  EXPECT_TRUE(comparison.is_due(now + 300 * ms));
}

TEST_F(ClockComparisonTest, ItIsNotDueBeforeTheFirstExchangeOrWithOneClock) {
  EXPECT_FALSE(ClockComparison(own).is_due(now + 300 * ms));
  ClockComparison same(own);
  same.compare(now, {now + 10, now + 20, own}, now + 1000);
  EXPECT_FALSE(same.is_due(now + 300 * ms));
}

TEST_F(ClockComparisonTest, OneFastPingReleasesTheRequest) {
  now += 300 * ms;
  const std::uint64_t first = comparison.begin(request, now);
  EXPECT_EQ(first, request - ClockComparison::max_pings);
  send_ping(first);
  EXPECT_EQ(comparison.held(), request);
  EXPECT_EQ(answer_after(0), 0u);
}

TEST_F(ClockComparisonTest, ASlowPingIsFollowedByAnother) {
  now += 300 * ms;
  send_ping(comparison.begin(request, now));
  const std::uint64_t second = answer_after(ms);
  EXPECT_EQ(second, request - 3);
  send_ping(second);
  EXPECT_EQ(answer_after(0), 0u);
}

TEST_F(ClockComparisonTest, AtMostMaxPingsAreSent) {
  now += 300 * ms;
  std::uint64_t pings = 0;
  for (std::uint64_t next = comparison.begin(request, now); next != 0; next = answer_after(ms / 2)) {
    send_ping(next);
    ++pings;
  }
  EXPECT_EQ(pings, ClockComparison::max_pings);
}

TEST_F(ClockComparisonTest, NoPingFollowsAfterSomeMilliseconds) {
  now += 300 * ms;
  send_ping(comparison.begin(request, now));
  EXPECT_EQ(answer_after(4 * ms), 0u);
}

TEST_F(ClockComparisonTest, NoPingFollowsWhenTheRequestWasReleased) {
  now += 300 * ms;
  const std::uint64_t first = comparison.begin(request, now);
  send_ping(first);
  comparison.release();
  EXPECT_TRUE(comparison.is_ping(first)) << "its reply is still expected";
  EXPECT_EQ(answer_after(ms), 0u);
  EXPECT_FALSE(comparison.is_ping(first));
}

TEST_F(ClockComparisonTest, IdZeroIsNeverAPing) {
  EXPECT_FALSE(comparison.is_ping(0));
  send_ping(4);
  comparison.forget_ping();
  EXPECT_FALSE(comparison.is_ping(4));
  EXPECT_FALSE(comparison.is_ping(0));
}

}  // namespace
}  // namespace eventspace::test
