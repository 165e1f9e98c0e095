#include "paths/server/pending_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PendingOperationsTest : public testing::Test {
 protected:
  /// Adds an operation of `peer` that ends at `overdue`.
  PendingOperation& add(const std::string& peer, Deadline overdue) {
    PendingOperation& added = pending.add();
    added.peer = peer;
    added.overdue = overdue;
    pending.reorder(added);
    return added;
  }
  PendingOperation& add_pull(Deadline deadline) {
    PendingOperation& added = pending.add();
    added.operation.verb = Verb::pull;
    added.operation.deadline = deadline;
    pending.reorder(added);
    return added;
  }

  WakeQueue woken;
  PendingOperations pending{woken};
};

TEST_F(PendingOperationsTest, NothingIsDueWithoutOperations) {
  EXPECT_TRUE(pending.next_due().is_never());
  EXPECT_THAT(pending.due(), IsEmpty());
  EXPECT_EQ(pending.find(1), nullptr);
  EXPECT_EQ(pending.remove(1), nullptr);
}

TEST_F(PendingOperationsTest, TheEarliestIsDueFirst) {
  add("p", Deadline::after(3h));
  const Deadline first = Deadline::after(1h);
  add("q", first);
  add("r", Deadline::after(2h));
  add("s", Deadline::never());
  EXPECT_EQ(pending.next_due().time(), first.time());
  EXPECT_THAT(pending.due(), IsEmpty());
}

TEST_F(PendingOperationsTest, DueOperationsAreInTheOrderOfTheirTimes) {
  const auto past = [](auto ago) { return Deadline::after(-Deadline::Clock::duration(ago)); };
  const auto second = add("p", past(1s)).token();
  add("p", Deadline::after(1h));
  const auto first = add("p", past(2s)).token();
  const auto at_once = add("p", Deadline::now()).token();
  EXPECT_THAT(pending.due(), ElementsAre(at_once, first, second));
  pending.remove(first);
  EXPECT_THAT(pending.due(), ElementsAre(at_once, second));
}

TEST_F(PendingOperationsTest, ADeadlineMovedForwardByAStageMovesAPull) {
  PendingOperation& pull = add_pull(Deadline::after(2h));
  const auto other = add("p", Deadline::after(1h)).due();
  EXPECT_EQ(pending.next_due().time(), other.time());
  pull.operation.deadline = Deadline::now();
  pending.reorder(pull);
  EXPECT_THAT(pending.due(), ElementsAre(pull.token()));
}

// The loop waits for the reply of another server longer than the operation may take.
TEST_F(PendingOperationsTest, OtherOperationsEndWhenTheyAreOverdueNotAtTheirDeadline) {
  PendingOperation& write = add("p", Deadline::after(1h));
  write.operation.deadline = Deadline::now();
  pending.reorder(write);
  EXPECT_THAT(pending.due(), IsEmpty());
  EXPECT_FALSE(write.end().passed());
}

TEST_F(PendingOperationsTest, AStageCanAskForAnEarlierLook) {
  PendingOperation& pull = add_pull(Deadline::after(2h));
  pull.operation.look_again = Deadline::now();
  pending.reorder(pull);
  EXPECT_THAT(pending.due(), ElementsAre(pull.token()));
  EXPECT_FALSE(pull.end().passed());
  pull.operation.look_again = Deadline::never();
  pending.reorder(pull);
  EXPECT_THAT(pending.due(), IsEmpty());
}

TEST_F(PendingOperationsTest, WakingAnOperationPushesItsToken) {
  add("p", Deadline::never());
  PendingOperation& second = add("p", Deadline::never());
  second.wake();
  second.wake();
  EXPECT_THAT(woken.drain(), ElementsAre(second.token()));
  EXPECT_EQ(pending.find(second.token()), &second);
}

TEST_F(PendingOperationsTest, TokensAreNotUsedAgain) {
  const auto first = add("p", Deadline::never()).token();
  pending.remove(first);
  EXPECT_GT(add("p", Deadline::never()).token(), first);
}

TEST_F(PendingOperationsTest, APeersOperationsAreFound) {
  const auto first = add("p", Deadline::never()).token();
  const auto second = add("p", Deadline::now()).token();
  const auto other = add("q", Deadline::never()).token();
  EXPECT_THAT(pending.peers(), UnorderedElementsAre("p", "q"));
  EXPECT_THAT(pending.tokens_of("p"), UnorderedElementsAre(first, second));
  EXPECT_THAT(pending.tokens(), UnorderedElementsAre(first, second, other));
}

// Compared with a list that is searched from end to end.
TEST_F(PendingOperationsTest, TheOrderIsAlwaysThatOfTheDeadlines) {
  const unsigned seed = 4711;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto some_time = [&] {
    return random() % 5 == 0 ? Deadline::never() : Deadline::after(std::chrono::minutes(1 + random() % 50));
  };
  std::vector<PendingOperation*> model;
  for (int round = 0; round < 5000; ++round) {
    const auto what = random() % 3;
    if (model.empty() || what == 0) {
      model.push_back(&add_pull(some_time()));
    } else {
      const auto place = model.begin() + static_cast<std::ptrdiff_t>(random() % model.size());
      if (what == 1) {
        (random() % 2 == 0 ? (*place)->operation.deadline : (*place)->operation.look_again) = some_time();
        pending.reorder(**place);
      } else {
        pending.remove((*place)->token());
        model.erase(place);
      }
    }
    Deadline first = Deadline::never();
    for (const PendingOperation* one : model) first = earlier(first, one->due());
    ASSERT_EQ(pending.next_due().time(), first.time()) << "round " << round;
    ASSERT_EQ(pending.size(), model.size());
  }
}

}  // namespace
}  // namespace eventspace
