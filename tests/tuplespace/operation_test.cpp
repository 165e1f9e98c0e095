#include <eventspace/operation.h>

#include <gtest/gtest.h>

namespace eventspace {
namespace {

using namespace std::chrono_literals;

TEST(OperationTest, VerbsAndStatusesHaveNames) {
  EXPECT_EQ(to_string(Verb::take), "take");
  EXPECT_EQ(to_string(Status::timed_out), "timed out");
  EXPECT_EQ(to_string(static_cast<Verb>(0)), "unknown");
  EXPECT_EQ(to_string(static_cast<Status>(200)), "unknown");
}

TEST(DeadlineTest, NeverAndNowAreTheEnds) {
  EXPECT_FALSE(Deadline::never().passed());
  EXPECT_EQ(Deadline::never().left(), Deadline::Clock::duration::max());
  EXPECT_TRUE(Deadline::now().passed());
  EXPECT_EQ(Deadline::now().left(), 0ns);
}

TEST(DeadlineTest, LeftIsNeverNegative) {
  EXPECT_EQ(Deadline::after(-1s).left(), 0ns);
  EXPECT_GT(Deadline::after(1h).left(), 59min);
  EXPECT_LE(Deadline::after(1h).left(), 1h);
}

TEST(DeadlineTest, WaitsThatTheClockCannotCountNeverEnd) {
  EXPECT_TRUE(Deadline::after(Deadline::Clock::duration::max()).is_never());
  EXPECT_TRUE(Deadline::after(Deadline::Clock::duration::min()).passed());
  EXPECT_EQ(Deadline::after(Deadline::Clock::duration::min()).left(), 0ns);
}

}  // namespace
}  // namespace eventspace
