#include "scopes/combine_stage.h"

#include <gtest/gtest.h>

#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// A child that yields one record when it is ready, and is named as missing when it is not in time.
class FakeChild final : public Stage {
 public:
  FakeChild(std::uint64_t record, const bool& answers) : record_(record), answers_(&answers) {}
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation&) override { return *answers_; }
  void finish(Operation& operation) override {
    operation.pull->view.clear();
    if (*answers_) {
      operation.pull->view.records.push_back(test::event(record_, 1, 2));
    } else {
      operation.pull->view.missing.push_back(
          {"n9", "child " + std::to_string(record_), MissingCause::no_answer, "", 1});
    }
    operation.status = *answers_ ? Status::ok : Status::timed_out;
  }

 private:
  std::uint64_t record_;
  const bool* answers_;
};

class CombineStageTest : public testing::Test {
 protected:
  CombineStageTest() {
    operation.verb = Verb::pull;
    operation.pull = &pull;
    operation.deadline = Deadline::after(60s);
  }
  std::unique_ptr<Stage> combining(std::chrono::nanoseconds first_timeout,
                                   std::chrono::nanoseconds second_timeout) {
    std::vector<CombineStage::Child> children;
    children.push_back({std::make_unique<FakeChild>(1, first), first_timeout});
    children.push_back({std::make_unique<FakeChild>(2, second), second_timeout});
    return std::make_unique<CombineStage>("all", std::move(children),
                                          std::vector<std::unique_ptr<ViewOperator>>{});
  }

  bool first{true}, second{true};
  Pull pull;
  Operation operation;
};

TEST_F(CombineStageTest, TheViewsStandInTheOrderOfTheChildren) {
  combining(0s, 0s)->call(operation);
  EXPECT_EQ(operation.status, Status::ok);
  EXPECT_EQ(test::told(pull.view), "1 2");
  ASSERT_EQ(pull.view.levels.size(), 1u);
  EXPECT_EQ(pull.view.levels[0].name, "all");
}

TEST_F(CombineStageTest, AChildThatIsLateIsNamedAndTheRestIsYielded) {
  first = false;
  combining(0s, 0s)->call(operation);
  EXPECT_EQ(operation.status, Status::ok);
  EXPECT_EQ(test::told(pull.view), "2");
  ASSERT_EQ(pull.view.missing.size(), 1u);
  EXPECT_EQ(pull.view.missing[0].what, "child 1");
}

TEST_F(CombineStageTest, ItIsReadyWhenAllChildrenAre) {
  first = false;
  const auto stage = combining(0s, 0s);
  stage->begin(operation);
  EXPECT_FALSE(stage->ready(operation));
  first = true;
  EXPECT_TRUE(stage->ready(operation));
  stage->finish(operation);
  EXPECT_EQ(test::told(pull.view), "1 2");
}

TEST_F(CombineStageTest, WhoPollsItLearnsWhenItsChildrensTimeIsUp) {
  first = second = false;
  const auto stage = combining(20ms, 5s);
  stage->begin(operation);
  EXPECT_LE(operation.deadline.left(), 5s);
  EXPECT_GT(operation.deadline.left(), 1s);
  second = true;
  EXPECT_FALSE(stage->ready(operation));
  EXPECT_LE(operation.deadline.left(), 20ms);  // only the first is waited for now
  stage->finish(operation);
  EXPECT_EQ(test::told(pull.view), "2");
}

TEST_F(CombineStageTest, ADeadlineIsNeverPutOff) {
  first = false;
  operation.deadline = Deadline::after(10ms);
  const auto stage = combining(60s, 60s);
  stage->begin(operation);
  EXPECT_LE(operation.deadline.left(), 10ms);
  stage->finish(operation);
}

TEST_F(CombineStageTest, EachPullBeginsAnew) {
  const auto stage = combining(0s, 0s);
  stage->call(operation);
  pull.id = 2;
  stage->call(operation);
  EXPECT_EQ(test::told(pull.view), "1 2");
}

}  // namespace
}  // namespace eventspace
