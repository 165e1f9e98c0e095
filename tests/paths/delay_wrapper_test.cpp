#include "paths/delay_wrapper.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/extend.h>
#include "paths/element_stage.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

/// The stage after the wrapper: counts calls, and is ready when the test sets it.
class CountingStage final : public Stage {
 public:
  struct Calls {
    int begun{0};
    int finished{0};
    bool ready{true};
  };
  explicit CountingStage(Calls& calls) noexcept : calls_(&calls) {}
  void begin(Operation& operation) override {
    ++calls_->begun;
    operation.status = Status::under_way;
  }
  bool ready(Operation& /*operation*/) override { return calls_->ready; }
  void finish(Operation& operation) override {
    ++calls_->finished;
    operation.status = Status::ok;
  }

 private:
  Calls* calls_;
};

class DelayWrapperTest : public testing::Test {
 protected:
  std::unique_ptr<Stage> delayed(std::chrono::nanoseconds by, std::unique_ptr<Stage> next) {
    const WrapperInfo info = delay_wrapper();
    return info.make(complete_parameters(info.parameters, {{"for", by}}, info.name), std::move(next));
  }
  std::unique_ptr<Stage> delayed(std::chrono::nanoseconds by) {
    return delayed(by, std::make_unique<CountingStage>(calls));
  }
  void until_ready(Stage& stage) {
    for (const auto end = Clock::now() + 60s; !stage.ready(operation);) {
      ASSERT_LT(Clock::now(), end);
      std::this_thread::yield();
    }
  }

  CountingStage::Calls calls;
  Operation operation;
};

TEST_F(DelayWrapperTest, ItSetsLookAgainUntilItHasForwarded) {
  const auto stage = delayed(1min);
  stage->begin(operation);
  EXPECT_FALSE(stage->ready(operation));
  EXPECT_GT(operation.look_again.left(), 30s);
  EXPECT_FALSE(operation.look_again.is_never());
  const auto brief = delayed(0s);
  brief->begin(operation);
  EXPECT_TRUE(brief->ready(operation));
  EXPECT_TRUE(operation.look_again.is_never());
}

TEST_F(DelayWrapperTest, DelaysAnOperationBeforeItForwardsIt) {
  const auto stage = delayed(50ms);
  const auto begun = Clock::now();
  stage->begin(operation);
  EXPECT_EQ(calls.begun, 0);
  stage->finish(operation);
  EXPECT_GE(Clock::now() - begun, 50ms);
  EXPECT_EQ(calls.begun, 1);
  EXPECT_EQ(calls.finished, 1);
  EXPECT_EQ(operation.status, Status::ok);
}

TEST_F(DelayWrapperTest, IsNotReadyBeforeTheTimeIsUpAndForwardsThen) {
  const auto stage = delayed(50ms);
  const auto begun = Clock::now();
  stage->begin(operation);
  until_ready(*stage);
  EXPECT_GE(Clock::now() - begun, 50ms);
  EXPECT_EQ(calls.begun, 1);
  EXPECT_TRUE(stage->ready(operation));
  EXPECT_EQ(calls.begun, 1);  // once, however often ready() is called
  EXPECT_EQ(calls.finished, 0);
  stage->finish(operation);
  EXPECT_EQ(calls.begun, 1);
  EXPECT_EQ(calls.finished, 1);
}

TEST_F(DelayWrapperTest, IsReadyOnlyWhenTheNextStageIs) {
  calls.ready = false;
  const auto stage = delayed(0ms);
  stage->begin(operation);
  EXPECT_FALSE(stage->ready(operation));
  EXPECT_EQ(calls.begun, 1);
  calls.ready = true;
  EXPECT_TRUE(stage->ready(operation));
}

TEST_F(DelayWrapperTest, DelaysEachOperation) {
  const auto stage = delayed(20ms);
  const auto begun = Clock::now();
  for (int i = 0; i < 3; ++i) stage->call(operation);
  EXPECT_GE(Clock::now() - begun, 60ms);
  EXPECT_EQ(calls.begun, 3);
}

TEST_F(DelayWrapperTest, TheTimeCountsAgainstTheDeadline) {
  Element element({"channel", {FieldType::integer}, 1});
  const auto stage = delayed(60s, std::make_unique<ElementStage>(element));
  operation.verb = Verb::take;
  operation.deadline = Deadline::after(20ms);
  stage->call(operation);  // returns long before the delay of a minute
  EXPECT_TRUE(operation.deadline.passed());
  EXPECT_EQ(operation.status, Status::timed_out);
}

TEST_F(DelayWrapperTest, ANonBlockingOperationIsNotDelayed) {
  const auto stage = delayed(60s);
  operation.deadline = Deadline::now();
  stage->begin(operation);
  EXPECT_TRUE(stage->ready(operation));
  stage->finish(operation);
  EXPECT_EQ(operation.status, Status::ok);
}

TEST_F(DelayWrapperTest, TheDelayIsRequiredAndBounded) {
  const WrapperInfo info = delay_wrapper();
  EXPECT_THROW(complete_parameters(info.parameters, {}, info.name), ConfigurationError);
  EXPECT_THROW(complete_parameters(info.parameters, {{"for", 61s}}, info.name), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
