#include "monitors/questions/loss_spans.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

// The recorder pulled at 100, 200 and 300.
class LossSpansTest : public testing::Test {
 protected:
  LossSpans spans{{{0, 100}, {101, 200}, {201, 300}}};
};

TEST_F(LossSpansTest, ALossIsInEachIntervalInWhichItMayLie) {
  EXPECT_EQ(spans.take(-1, 50, 0), 0U);
  EXPECT_EQ(spans.take(50, 100, 0), 0U);
  EXPECT_EQ(spans.take(100, 150, 7), 7U);
  EXPECT_EQ(spans.take(150, 199, 0), 7U);
  EXPECT_EQ(spans.take(199, 220, 0), 7U) << "until the pull that found it";
  EXPECT_EQ(spans.take(220, 250, 0), 0U);
}

TEST_F(LossSpansTest, LossesOfSeveralPullsCountTogetherWhereTheyMeet) {
  EXPECT_EQ(spans.take(-1, 150, 7), 7U);
  EXPECT_EQ(spans.take(150, 220, 2), 9U);
  EXPECT_EQ(spans.take(220, 290, 0), 9U) << "which of them reach so far is not known";
  EXPECT_EQ(spans.take(290, 300, 0), 9U);
  EXPECT_EQ(spans.take(300, 400, 0), 0U);
}

}  // namespace
}  // namespace eventspace
