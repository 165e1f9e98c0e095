#include "scopes/gathering/waited_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scopes/gathering/fake_child.h"

namespace eventspace::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// A stage that counts its tests and is then ready; it may call its waker during a test.
class AskedStage final : public Stage {
 public:
  explicit AskedStage(std::vector<std::string>& story) : story_(&story) {}
  int asks_needed{2};
  int wakes_in_ask{0};  ///< number of the call of ready() that calls the waker

  void begin(Operation& operation) override {
    story_->emplace_back("begin");
    operation.status = Status::under_way;
  }
  bool ready(Operation& operation) override {
    story_->emplace_back("ask");
    if (++asked_ == wakes_in_ask) operation.waker->wake();
    return asked_ >= asks_needed;
  }
  void finish(Operation& operation) override {
    story_->emplace_back("finish");
    operation.status = Status::ok;
  }

 private:
  std::vector<std::string>* story_;
  int asked_{0};
};

class WaitedCallTest : public testing::Test {
 protected:
  void call(Deadline deadline = Deadline::after(1min)) {
    operation.deadline = deadline;
    waited_call(stage, operation, [this](Deadline until) {
      story.emplace_back("wait");
      waited_until = until;
      if (news_in_wait) operation.waker->wake();
    });
  }
  std::vector<std::string> story;
  AskedStage stage{story};
  Operation operation;
  bool news_in_wait{false};
  Deadline waited_until{Deadline::never()};
};

TEST_F(WaitedCallTest, AStageThatIsNotReadyIsAskedAgainAfterAWait) {
  call();
  EXPECT_THAT(story, ElementsAre("begin", "ask", "wait", "ask", "finish"));
  EXPECT_EQ(operation.status, Status::ok);
}

// Regression test: pulls of several parts behind one link sometimes took a second, because the reply to one
// part arrived during the test of the other, and nothing more happened on the link.
TEST_F(WaitedCallTest, NewsThatComeWhileTheStageIsAskedAreNotWaitedFor) {
  stage.wakes_in_ask = 1;
  call();
  EXPECT_THAT(story, ElementsAre("begin", "ask", "ask", "finish"));
}

TEST_F(WaitedCallTest, NewsOfTheWaitIsNewsOnce) {
  stage.asks_needed = 3;
  news_in_wait = true;
  call();
  EXPECT_THAT(story, ElementsAre("begin", "ask", "wait", "ask", "wait", "ask", "finish"));
}

TEST_F(WaitedCallTest, WhenTheTimeIsUpItIsFinishedWithoutBeingAsked) {
  call(Deadline::now());
  EXPECT_THAT(story, ElementsAre("begin", "finish"));
}

TEST_F(WaitedCallTest, AStageThatActsByTheClockIsAskedAgainAtItsTime) {
  operation.look_again = Deadline::after(1s);
  call();
  EXPECT_EQ(waited_until.time(), operation.look_again.time());
}

TEST_F(WaitedCallTest, NoWakerIsLeftAfterTheCall) {
  call();
  EXPECT_EQ(operation.waker, nullptr);
}

}  // namespace
}  // namespace eventspace::test
