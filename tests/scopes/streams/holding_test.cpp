#include "scopes/streams/holding.h"

#include <gtest/gtest.h>

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;

const Holding::Clock::time_point start{1h};

TEST(HoldingTest, ACallerThatTakesAndAnswersWithoutPauseHoldsItsAnswersForAMoment) {
  Holding holding;
  EXPECT_FALSE(holding.may_hold(true, false, start)) << "it has taken nothing";
  holding.taken(start);
  EXPECT_TRUE(holding.may_hold(true, false, start + 1us));
  holding.taken(start + 190us);
  EXPECT_FALSE(holding.is_due());
  EXPECT_FALSE(holding.may_hold(true, false, start + 202us)) << "the first has waited long enough";
  holding.taken(start + 202us);
  EXPECT_TRUE(holding.is_due());
  holding.released();
  EXPECT_FALSE(holding.is_due());
}

TEST(HoldingTest, TheLastAnswerAndThatOfASlowCallerLeaveAtOnce) {
  Holding holding;
  holding.taken(start);
  EXPECT_FALSE(holding.may_hold(false, false, start + 1us)) << "there is nothing more to take";
  EXPECT_FALSE(holding.may_hold(true, false, start + Holding::longest)) << "it was slow with this packet";
}

TEST(HoldingTest, ACallerThatSendsManyWithoutPauseHoldsThemForAMoment) {
  Holding holding;
  EXPECT_FALSE(holding.may_hold(true, true, start)) << "it may have been the last";
  EXPECT_FALSE(holding.may_hold(true, false, start + 1us)) << "few are on the way";
  EXPECT_TRUE(holding.may_hold(true, true, start + 2us));
  EXPECT_TRUE(holding.may_hold(true, true, start + 190us));
  EXPECT_FALSE(holding.may_hold(true, true, start + 202us)) << "the first has waited long enough";
  holding.released();
  EXPECT_FALSE(holding.may_hold(true, true, start + 402us)) << "it was slow with this packet";
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
  EXPECT_FALSE(busy.waits(9, window, start + BusyStream::shortest));
  for (int i = 1; i < 8; ++i) busy.sent(start + 1us);
  EXPECT_FALSE(busy.waits(16, window, start)) << "as many wait as are on the way";
  EXPECT_TRUE(busy.waits(17, window, start));
  busy.released(9, start + 2us);
  EXPECT_FALSE(busy.has_waiting());
}

TEST(BusyStreamTest, PacketsWaitNoLongerThanTheLastOnesTookToBeAnswered) {
  BusyStream busy;
  const auto waits_until = [&busy] {
    busy.sent(start);
    const auto due = busy.due();
    busy.released(0, start);
    busy.answered(0, start);
    return due - start;
  };
  const auto answered_after = [&busy](std::chrono::nanoseconds time) {
    busy.released(100, start);
    busy.released(200, start + 1us);  // more packets leave in between, and do not count
    busy.answered(99, start + time / 2);
    busy.answered(100, start + time);
  };
  EXPECT_EQ(waits_until(), BusyStream::shortest);
  answered_after(120ms);
  EXPECT_EQ(waits_until(), 120ms);
}

}  // namespace
}  // namespace eventspace::streams
