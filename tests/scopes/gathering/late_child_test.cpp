#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/scopes/gathering/fake_child.h"

// Late children of a combining stage with WhenLate::skip, see Branch.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Combining;
using test::CountingWaker;
using testing::ElementsAre;

/// Two children that are skipped when they are late; the second one is late.
class SkippedChildTest : public testing::Test {
 protected:
  explicit SkippedChildTest(std::chrono::nanoseconds longest = 1h)
      : combining({.skip = {{longest, longest}}}, 2), late(combining.stories[1]) {}
  /// A pull that does not wait, after a pull whose view arrived.
  std::string pull() {
    ++last;
    return combining.call(last, last - 1, Deadline::now());
  }

  Combining combining;
  test::ChildStory& late;
  std::uint64_t last{0};
};

TEST_F(SkippedChildTest, ItIsLeftOutUntilItsAnswerComesAndThatIsPartOfTheNextPull) {
  late.answers = false;
  EXPECT_EQ(pull(), "1 child 2: no answer");
  EXPECT_EQ(pull(), "1 child 2: skipped");
  EXPECT_EQ(pull(), "1 child 2: skipped");
  EXPECT_EQ(late.begun, 1);
  EXPECT_EQ(late.finished, 0);
  late.answer();
  EXPECT_EQ(pull(), "1 2");
  EXPECT_EQ(late.begun, 1);
  EXPECT_EQ(pull(), "1 2");
  EXPECT_EQ(late.begun, 2);
  EXPECT_EQ(late.finished, 2);
}

TEST_F(SkippedChildTest, ASkippedChildIsNamedWithTheNumberOfPulls) {
  late.answers = false;
  pull();
  pull();
  EXPECT_NE(combining.pull.view.missing[0].detail.find("left out of 1 pull since"), std::string::npos);
  pull();
  const Missing& missing = combining.pull.view.missing[0];
  EXPECT_NE(missing.detail.find("left out of 2 pulls since"), std::string::npos) << missing.detail;
  EXPECT_EQ(missing.node, "n9");
  EXPECT_EQ(missing.sources, 1u);
}

TEST_F(SkippedChildTest, TheOthersAreNotWaitedForLongerBecauseOfIt) {
  late.answers = false;
  pull();
  CountingWaker waker;
  combining.begin(2, 1, Deadline::after(1h), &waker);
  EXPECT_TRUE(combining.ready());
  combining.finish();
}

TEST_F(SkippedChildTest, AnAnswerDuringAPullIsPartOfThatPull) {
  late.answers = false;
  pull();
  combining.stories[0].answers = false;
  CountingWaker waker;
  combining.begin(2, 1, Deadline::after(1h), &waker);
  EXPECT_FALSE(combining.ready());
  late.answer();
  combining.stories[0].answer();
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "1 2");
}

TEST_F(SkippedChildTest, AnAnswerBetweenPullsDoesNotCallTheWakerOfAnEndedPull) {
  late.answers = false;
  {
    CountingWaker waker;
    combining.begin(1, 0, Deadline::now(), &waker);
    combining.finish();
    late.answer();
    EXPECT_EQ(waker.count, 0);
  }
  last = 1;
  EXPECT_EQ(pull(), "1 2");
}

TEST_F(SkippedChildTest, TheViewThatCameLateIsConfirmedWithThePullThatHadIt) {
  late.answers = false;
  pull();
  pull();
  late.answer();
  EXPECT_EQ(combining.call(3, 2), "1 2");
  EXPECT_EQ(combining.call(4, 3), "1 2");
  EXPECT_EQ(combining.call(5, 3), "1 2");  // the view of pull 4 was lost
  EXPECT_THAT(late.pulls, ElementsAre("1 after 0", "2 after 1", "3 after 1"));
}

TEST_F(SkippedChildTest, DestroyingTheStageFinishesAChildThatIsUnderWay) {
  late.answers = false;
  pull();
  combining.stage.reset();
  EXPECT_EQ(late.finished, 1);
}

struct ImpatientTest : SkippedChildTest {
  ImpatientTest() : SkippedChildTest(0ns) {}
};

TEST_F(ImpatientTest, WhenItsRestIsOverItIsGivenUpAndAskedAgain) {
  late.answers = false;
  EXPECT_EQ(pull(), "1 child 2: no answer");
  EXPECT_EQ(pull(), "1 child 2: no answer");
  EXPECT_EQ(late.begun, 2);
  EXPECT_EQ(late.finished, 1);
  EXPECT_THAT(late.pulls, ElementsAre("1 after 0", "2 after 0"));
  late.answers = true;  // to the second
  EXPECT_EQ(pull(), "1 2");
  EXPECT_EQ(late.begun, 2);
  EXPECT_EQ(pull(), "1 2");
  EXPECT_EQ(late.pulls.back(), "3 after 2");
}

TEST(SkippedInTurnTest, ALateChildIsSkippedAndTheNextHasItsTurn) {
  Combining combining({.asking = Asking::in_turn, .skip = {{1h, 1h}}}, 3, {1ns, 1h, 1h});
  combining.stories[0].answers = false;
  EXPECT_EQ(combining.call(1, 0), "2 3 child 1: no answer");
  combining.begin(2, 1);
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "2 3 child 1: skipped");
  combining.stories[0].answer();
  EXPECT_EQ(combining.call(3, 2), "1 2 3");
}

// --- nothing is lost or repeated -------------------------------------------------------------------

/// A source of records 1, 2, 3 ... with a read position as in ReadStage, and a delay for its answers. It
/// reads when an operation is begun, as a server does.
class SlowSource final : public Stage {
 public:
  explicit SlowSource(std::mt19937& random) : random_(&random) {}
  void begin(Operation& operation) override {
    const Pull& pull = pull_of(operation);
    if (pull.after == sent_pull_) {
      committed_ = sent_;
    } else {
      sent_ = committed_;
    }
    sent_pull_ = pull.id;
    answer_.clear();
    for (auto count = (*random_)() % 3; count > 0; --count) answer_.records.push_back({{++sent_}});
    operation.status = Status::under_way;
  }
  bool ready(Operation& /*operation*/) override {
    answered_ = answered_ || (*random_)() % 3 == 0;
    return answered_;
  }
  bool await(Operation& operation) override { return ready(operation); }
  void finish(Operation& operation) override {
    ready(operation);
    pull_of(operation).view.clear();
    operation.status = answered_ ? Status::ok : Status::timed_out;
    if (answered_) pull_of(operation).view = std::move(answer_);
    answered_ = false;
  }

 private:
  std::mt19937* random_;
  View answer_;
  bool answered_{false};
  std::uint64_t committed_{0}, sent_{0}, sent_pull_{0};
};

class NothingLostTest : public testing::TestWithParam<std::optional<CombineStage::Config::Skip>> {};

TEST_P(NothingLostTest, EveryRecordComesOnceIfChildrenAreLateAndViewsAreLost) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<CombineStage::Child> children(1);
    children[0].stage = std::make_unique<SlowSource>(random);
    CombineStage stage({.asking = seed % 2 == 0 ? Asking::overlapped : Asking::in_turn, .skip = GetParam()},
                       std::move(children), {});
    std::uint64_t arrived = 0;
    std::uint64_t expected = 1;
    for (std::uint64_t id = 1; id <= 300; ++id) {
      Pull pull;
      pull.id = id;
      pull.after = arrived;
      Operation operation;
      operation.verb = Verb::pull;
      operation.body = &pull;
      operation.deadline = Deadline::now();
      stage.call(operation);
      if (random() % 4 == 0) continue;  // the view is lost on its way to the caller
      arrived = id;
      for (const TraceTuple& record : pull.view.records)
        ASSERT_EQ(record.words[0], expected++) << "pull " << id;
    }
    EXPECT_GT(expected, 20u);
  }
}

constexpr CombineStage::Config::Skip for_good{1h, 1h};
constexpr CombineStage::Config::Skip for_no_time{0ns, 0ns};

INSTANTIATE_TEST_SUITE_P(WhenLate, NothingLostTest, testing::Values(std::nullopt, for_no_time, for_good),
                         [](const auto& each) {
                           if (!each.param) return "Partial";
                           return each.param->longest.count() == 0 ? "SkipAndAskAgain" : "Skip";
                         });

}  // namespace
}  // namespace eventspace
