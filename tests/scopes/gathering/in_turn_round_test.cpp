#include "scopes/gathering/in_turn_round.h"

#include <gtest/gtest.h>

#include "tests/scopes/gathering/fake_child.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Combining;
using test::CountingWaker;

constexpr CombineStage::Config in_turn() { return {.asking = Asking::in_turn}; }

TEST(InTurnRoundTest, AChildIsBegunWhenTheOneBeforeItHasFinished) {
  Combining combining(in_turn(), 3);
  combining.let_no_child_answer();
  CountingWaker waker;
  combining.begin(1, 0, Deadline::after(1min), &waker);
  test::ChildStory& first = combining.stories[0];
  test::ChildStory& second = combining.stories[1];
  test::ChildStory& third = combining.stories[2];
  EXPECT_FALSE(combining.ready());
  EXPECT_EQ(second.begun, 0);
  first.answer();
  EXPECT_FALSE(combining.ready());
  EXPECT_EQ(first.finished, 1);
  EXPECT_EQ(second.begun, 1);
  EXPECT_EQ(third.begun, 0);
  second.answer();
  EXPECT_FALSE(combining.ready());
  third.answer();
  EXPECT_EQ(waker.count, 3);
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "1 2 3");
}

TEST(InTurnRoundTest, ChildrenThatAnswerAtOnceNeedOneLook) {
  Combining combining(in_turn(), 3);
  combining.begin(1, 0);
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "1 2 3");
  EXPECT_EQ(combining.asked(), 3);
}

TEST(InTurnRoundTest, ABlockingCallGetsAllViewsToo) {
  Combining combining(in_turn(), 3);
  EXPECT_EQ(combining.call(1, 0), "1 2 3");
  EXPECT_EQ(combining.call(2, 1), "1 2 3");
}

TEST(InTurnRoundTest, ATimeOutCountsFromTheChildsOwnBeginningAndMakesRoomForTheNext) {
  Combining combining(in_turn(), 2, {1ns, 1h});
  combining.let_no_child_answer();
  combining.begin(1, 0);
  EXPECT_FALSE(combining.ready());  // the first one's time was up at once
  EXPECT_EQ(combining.stories[0].finished, 1);
  EXPECT_EQ(combining.stories[1].begun, 1);
  EXPECT_GT(combining.operation.look_again.left(), 59s);
  EXPECT_FALSE(combining.operation.look_again.is_never());
  combining.stories[1].answers = true;
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "2 child 1: no answer");
}

TEST(InTurnRoundTest, ALoopLearnsWhenToAskTheNextChildEvenIfItIsNotWoken) {
  Combining combining(in_turn(), 2, {1h, 2h});
  combining.let_no_child_answer();
  combining.begin(1, 0, Deadline::never());
  EXPECT_FALSE(combining.ready());
  EXPECT_EQ(std::chrono::ceil<std::chrono::hours>(combining.operation.look_again.left()), 1h);
  EXPECT_TRUE(combining.operation.deadline.is_never());
}

TEST(InTurnRoundTest, ChildrenForWhichThePullHasNoTimeAreNamedAsLate) {
  Combining combining(in_turn(), 3);
  combining.stories[0].answers = false;
  combining.begin(1, 0, Deadline::now());
  EXPECT_EQ(combining.finish(), "child 1: no answer child 2: late child 3: late");
  EXPECT_EQ(combining.stories[1].begun, 0);
  combining.stories[0].answers = true;
  EXPECT_EQ(combining.call(2, 1), "1 2 3");
}

}  // namespace
}  // namespace eventspace
