#include "paths/remote/answer_wait.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

using namespace std::chrono_literals;

Operation operation(Verb verb, Deadline deadline) {
  Operation made;
  made.verb = verb;
  made.deadline = deadline;
  return made;
}

TEST(AnswerWait, AnOperationWithoutADeadlineWaitsForever) {
  const AnswerWait wait{2s, 1s};
  const Operation take = operation(Verb::take, Deadline::never());
  EXPECT_EQ(wait.of_server_us(take), -1);
  EXPECT_TRUE(wait.end(take).is_never());
  EXPECT_TRUE(wait.end_unconnected(take).is_never());
}

TEST(AnswerWait, TheGraceFollowsTheDeadline) {
  const AnswerWait wait{2s, {}};
  const Operation pull = operation(Verb::pull, Deadline::after(100s));
  EXPECT_GT(wait.of_server_us(pull), 99'000'000);
  EXPECT_GT(wait.end(pull).left(), 101s);
  EXPECT_TRUE(wait.end_unconnected(pull).is_never()) << "no time is only for the server";
}

TEST(AnswerWait, WithoutAGraceAPullKeepsTimeForTheWayBack) {
  const AnswerWait wait;
  const Deadline deadline = Deadline::after(100s);
  EXPECT_LE(wait.of_server_us(operation(Verb::pull, deadline)), 90'000'000);
  EXPECT_GT(wait.of_server_us(operation(Verb::take, deadline)), 99'000'000);
  EXPECT_EQ(wait.of_server_us(operation(Verb::pull, Deadline::after(100us))), 1) << "0 means not to wait";
  EXPECT_EQ(wait.of_server_us(operation(Verb::pull, Deadline::now())), 0);
}

TEST(AnswerWait, TheGraceOfACancelledOperationIsShort) {
  const AnswerWait wait{2s, 1s};
  EXPECT_LE(wait.end_cancelled().left(), AnswerWait::grace_of_cancel);
  EXPECT_FALSE(wait.end_cancelled().is_never());
  EXPECT_TRUE(AnswerWait().end_cancelled().passed()) << "a loop does not wait";
}

TEST(AnswerWait, AWaitForAMissingServerLeavesOutTheAllowance) {
  const AnswerWait wait{{}, 10s};
  EXPECT_LE(wait.end_unconnected(operation(Verb::take, Deadline::after(100s))).left(), 90s);
  const Deadline soon = Deadline::after(5s);
  EXPECT_GT(wait.end_unconnected(operation(Verb::take, soon)).left(), 4s) << "nearer than the allowance";
}

}  // namespace
}  // namespace eventspace
