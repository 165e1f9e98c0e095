#include "scopes/streams/holding.h"

#include <gtest/gtest.h>

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;

const Holding::Clock::time_point start{1h};

TEST(HoldingTest, ACallerThatTakesAndAnswersWithoutPauseHoldsItsAnswersForAMoment) {
  Holding holding;
  EXPECT_FALSE(holding.may_hold(true, start)) << "it has taken nothing";
  holding.taken(start);
  EXPECT_TRUE(holding.may_hold(true, start + 1us));
  EXPECT_FALSE(holding.is_due(start + 100us));
  holding.taken(start + 190us);
  EXPECT_FALSE(holding.may_hold(true, start + 202us)) << "the first has waited long enough";
  EXPECT_TRUE(holding.is_due(start + 202us));
  holding.released();
  EXPECT_FALSE(holding.is_due(start + 1s));
}

TEST(HoldingTest, TheLastAnswerAndThatOfASlowCallerLeaveAtOnce) {
  Holding holding;
  holding.taken(start);
  EXPECT_FALSE(holding.may_hold(false, start + 1us)) << "there is nothing more to take";
  EXPECT_FALSE(holding.may_hold(true, start + Holding::longest)) << "it was slow with this packet";
}

TEST(BusyStreamTest, PacketsWaitWhileMoreAreOnTheWayAndNotForLong) {
  BusyStream busy;
  constexpr std::uint64_t window = 64;
  EXPECT_FALSE(busy.waits(16, window, start)) << "nothing waits";
  busy.sent(start);
  EXPECT_FALSE(busy.waits(8, window, start)) << "seven on the way are few";
  EXPECT_TRUE(busy.waits(9, window, start));
  EXPECT_FALSE(busy.waits(window + 1, window, start)) << "these are not answered";
  EXPECT_FALSE(busy.waits(0, window, start)) << "answers came unasked";
  EXPECT_FALSE(busy.waits(9, window, start + BusyStream::longest));
  for (int i = 1; i < 8; ++i) busy.sent(start + 1us);
  EXPECT_FALSE(busy.waits(16, window, start)) << "as many wait as are on the way";
  EXPECT_TRUE(busy.waits(17, window, start));
  busy.released();
  EXPECT_FALSE(busy.has_waiting());
}

}  // namespace
}  // namespace eventspace::streams
