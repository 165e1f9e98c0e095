#include "scopes/gathering/subscription_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "scopes/gathering/subscription_round.h"
#include "scopes/gathering/waited_call.h"
#include "tests/scopes/gathering/fake_child.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Combining;
using test::CountingWaker;
using testing::ElementsAre;
using testing::IsEmpty;

/// The source below a subscription's stage: a poll finds `next`, once.
struct Below {
  View next;
  std::vector<std::string> looks;  // "ID after ID"
  std::chrono::nanoseconds looked_back{};
  std::vector<std::chrono::steady_clock::time_point> times;
};

class BelowStage final : public Stage {
 public:
  explicit BelowStage(Below& below) : below_(&below) {}
  void begin(Operation& operation) override {
    const Pull& pull = pull_of(operation);
    below_->looks.push_back(std::to_string(pull.id) + " after " + std::to_string(pull.after));
    below_->looked_back = pull.look_back;
    below_->times.push_back(std::chrono::steady_clock::now());
  }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override {
    pull_of(operation).view = std::exchange(below_->next, {});
    operation.status = Status::ok;
  }

 private:
  Below* below_;
};

class SubscriptionStageTest : public testing::Test {
 protected:
  void build(std::chrono::nanoseconds interval) {
    stage = std::make_unique<SubscriptionStage>(std::make_unique<BelowStage>(below), interval);
  }
  /// Performs a pull; `meanwhile` is called when the stage waits.
  void pull(
      std::uint64_t id, std::uint64_t after, std::chrono::nanoseconds time,
      const std::function<void()>& meanwhile = [] {}) {
    request = {};
    request.id = id;
    request.after = after;
    request.look_back = look_back;
    Operation operation;
    operation.verb = Verb::pull;
    operation.body = &request;
    operation.deadline = Deadline::after(time);
    waited_call(*stage, operation, [&](Deadline until) {
      meanwhile();
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(until.left(), 1ms));
    });
    EXPECT_EQ(operation.status, Status::ok);
  }
  [[nodiscard]] std::string seen() const { return test::told(request.view); }
  static View with_record(std::uint64_t number) {
    View view;
    view.records.push_back(test::event(number, 1, 2));
    return view;
  }
  static View with_quiet_news(std::uint64_t filtered, std::uint64_t position) {
    View view;
    view.loss.filtered = filtered;
    view.positions = {{3, 0, 4711, 1, position}};
    return view;
  }

  Below below;
  std::chrono::nanoseconds look_back{std::chrono::nanoseconds::max()};
  Pull request;
  std::unique_ptr<SubscriptionStage> stage;
};

TEST_F(SubscriptionStageTest, NothingIsLookedAtWhileNobodyAsks) {
  build(1ms);
  EXPECT_THAT(below.looks, IsEmpty());
  const auto begun = std::chrono::steady_clock::now();
  pull(1, 0, 200ms);
  const std::size_t looks = below.looks.size();
  EXPECT_GT(looks, 0U);
  EXPECT_LE(static_cast<std::int64_t>(looks), (std::chrono::steady_clock::now() - begun) / 1ms + 1);
  below.next = with_record(1);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(below.looks.size(), looks) << "the reader is gone, or slow";
  pull(2, 1, 1min);
  EXPECT_EQ(seen(), "1");
}

TEST_F(SubscriptionStageTest, APullEndsWhenThereIsNews) {
  build(1ms);
  int waits = 0;
  pull(1, 0, 1min, [&] {
    if (++waits == 5) below.next = with_record(7);
  });
  EXPECT_EQ(seen(), "7");
  EXPECT_GE(waits, 5);
}

TEST_F(SubscriptionStageTest, ViewsComeNoMoreOftenThanTheInterval) {
  build(20ms);
  std::vector<std::chrono::steady_clock::time_point> begun;  // before each poll
  for (std::uint64_t id = 0; id < 5; ++id) {
    begun.push_back(std::chrono::steady_clock::now());
    below.next = with_record(id + 1);
    pull(id + 1, id, 1min);
    EXPECT_EQ(seen(), std::to_string(id + 1));
  }
  ASSERT_EQ(below.times.size(), begun.size());
  for (std::size_t i = 1; i < begun.size(); ++i) EXPECT_GE(below.times[i] - begun[i - 1], 20ms - 1us);
}

TEST_F(SubscriptionStageTest, WhatQuietLooksCountedComesWithTheNextView) {
  build(1ms);
  int waits = 0;
  below.next = with_quiet_news(3, 10);
  pull(1, 0, 1min, [&] {
    if (++waits == 3) below.next = with_quiet_news(4, 20);
    if (waits == 6) below.next = with_record(1);
  });
  EXPECT_EQ(request.view.loss.filtered, 7U);
  ASSERT_EQ(request.view.positions.size(), 1U) << "one position of each trace element";
  EXPECT_EQ(request.view.positions[0].sequence, 20U);
  pull(2, 1, 20ms);
  EXPECT_EQ(request.view.loss.filtered, 0U) << "it has arrived";
}

TEST_F(SubscriptionStageTest, AViewThatDidNotArriveComesAgainWithWhatWasQuiet) {
  build(1ms);
  below.next = with_quiet_news(3, 10);
  pull(1, 0, 500ms);
  EXPECT_EQ(request.view.loss.filtered, 3U);
  below.next = with_record(5);
  pull(2, 0, 1min);  // the view of pull 1 is lost
  EXPECT_EQ(seen(), "5");
  EXPECT_EQ(request.view.loss.filtered, 3U);
  const std::string last = below.looks.back();
  below.next = with_record(5);
  pull(3, 0, 1min);  // the view of pull 2, too
  EXPECT_EQ(request.view.loss.filtered, 3U);
  EXPECT_EQ(below.looks.back().substr(below.looks.back().find(' ')), last.substr(last.find(' ')))
      << "below, the look with news did not arrive, and those without did";
  below.next = with_record(6);
  pull(4, 3, 1min);
  EXPECT_EQ(request.view.loss.filtered, 0U);
  const auto id_of = [](const std::string& look) { return look.substr(0, look.find(' ')); };
  EXPECT_EQ(below.looks.back(), id_of(below.looks.back()) + " after " + id_of(*(below.looks.end() - 2)));
}

TEST_F(SubscriptionStageTest, ALossOfEventsIsNewsAndSoIsWhatIsMissingOnce) {
  build(1ms);
  below.next.loss.discarded = 9;
  pull(1, 0, 1min);
  EXPECT_EQ(request.view.loss.discarded, 9U);
  const Missing missing{"n1", "process p0", MissingCause::no_segment, "", 1};
  below.next.missing = {missing};
  pull(2, 1, 1min);
  EXPECT_THAT(request.view.missing, ElementsAre(missing));
  const auto keep_missing = [&] { below.next.missing = {missing}; };
  keep_missing();
  pull(3, 2, 20ms, keep_missing);
  EXPECT_THAT(request.view.missing, ElementsAre(missing)) << "it is still missing";
  EXPECT_THAT(request.view.levels, IsEmpty());
}

TEST_F(SubscriptionStageTest, TheStateOfAProcessIsNewsOnce) {
  build(1ms);
  ProcessReport report;
  report.pid = 4711;
  const auto report_again = [&] {
    ++report.now_ticks;
    below.next.processes = {report};
  };
  report_again();
  pull(1, 0, 1min, report_again);
  EXPECT_EQ(request.view.processes.size(), 1U);
  report_again();
  pull(2, 1, 20ms, report_again);
  EXPECT_THAT(request.view.processes, IsEmpty());
  report.state = RunState::dead;
  report_again();
  pull(3, 2, 1min, report_again);
  ASSERT_EQ(request.view.processes.size(), 1U);
  EXPECT_EQ(request.view.processes[0].state, RunState::dead);
  report.usage.emplace();
  for (std::uint64_t id = 4; id < 7; ++id) {
    report_again();
    pull(id, id - 1, 1min, report_again);
    EXPECT_EQ(request.view.processes.size(), 1U) << "what it uses changes all the time";
  }
}

TEST_F(SubscriptionStageTest, AQuarterOfALongPullIsForTheWayOfItsView) {
  build(1ms);
  Operation operation;
  operation.verb = Verb::pull;
  operation.body = &request;
  operation.deadline = Deadline::after(8s);
  stage->begin(operation);
  EXPECT_LE(operation.deadline.left(), 6s);
  EXPECT_GT(operation.deadline.left(), 1s);
  operation.deadline = Deadline::now();
  stage->finish(operation);
  EXPECT_EQ(operation.status, Status::ok);
}

TEST_F(SubscriptionStageTest, TheMomentToLookBackToStays) {
  build(1ms);
  look_back = 5s;
  const auto before = std::chrono::steady_clock::now();
  pull(1, 0, 1min, [&] {
    if (below.looks.size() >= 3) below.next = with_record(1);
  });
  const auto last = below.times.end() - 1;
  EXPECT_GE(below.looked_back, 5s + (*(last - 1) - below.times.front()));
  EXPECT_LE(below.looked_back, 5s + (*last - before));
}

// --- children on servers -------------------------------------------------------------------------

struct SubscriptionRoundTest : testing::Test {
  Combining combining{{.subscription_interval = 1ns}, 2, {}, true};  // an interval without waiting
};

TEST_F(SubscriptionRoundTest, AServerStaysAskedUntilItAnswers) {
  combining.let_no_child_answer();
  EXPECT_EQ(combining.call(1, 0), "");
  EXPECT_EQ(combining.call(2, 1), "");
  EXPECT_EQ(combining.stories[0].begun, 1);
  combining.stories[0].answers = true;
  EXPECT_EQ(combining.call(3, 2), "1") << "the other one is not waited for";
  combining.stories[0].answers = false;
  combining.stories[1].answers = true;
  EXPECT_EQ(combining.call(4, 3), "2");
  EXPECT_EQ(combining.stories[0].begun, 2);
  EXPECT_EQ(combining.stories[1].begun, 1);
  EXPECT_THAT(combining.stories[0].pulls, ElementsAre("1 after 0", "2 after 1"));
}

TEST_F(SubscriptionRoundTest, AnAnswerInAViewThatDidNotArriveIsAskedForAgain) {
  combining.stories[1].answers = false;
  EXPECT_EQ(combining.call(1, 0), "1");
  EXPECT_EQ(combining.call(2, 0), "1");
  EXPECT_THAT(combining.stories[0].pulls, ElementsAre("1 after 0", "2 after 0"));
}

TEST_F(SubscriptionRoundTest, AnAnswerWakesThePullUnderWay) {
  CountingWaker waker;
  combining.let_no_child_answer();
  combining.begin(1, 0, Deadline::after(1min), &waker);
  EXPECT_TRUE(combining.ready()) << "it waits for no server";
  combining.finish();
  combining.begin(2, 1, Deadline::after(1min), &waker);
  combining.stories[1].answer();
  EXPECT_EQ(waker.count, 1);
  EXPECT_EQ(combining.finish(), "2");
}

// A server that has news answers at once. If its answer were in the next pull, every second pull would be
// without an answer.
TEST(SubscriptionRoundMomentTest, AServerThatWasJustAskedIsWaitedForForAMoment) {
  Combining combining({.subscription_interval = 1min}, 2, {}, true);
  CountingWaker waker;
  combining.let_no_child_answer();
  combining.begin(1, 0, Deadline::after(1min), &waker);
  ASSERT_FALSE(combining.ready());
  combining.stories[0].answer();
  EXPECT_FALSE(combining.ready()) << "the other one is waited for, too";
  combining.stories[1].answer();
  EXPECT_EQ(waker.count, 2);
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "1 2");

  combining.let_no_child_answer();
  const auto begun = std::chrono::steady_clock::now();
  combining.begin(2, 1, Deadline::after(1min), &waker);
  while (!combining.ready()) std::this_thread::sleep_for(1ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, SubscriptionRound::moment);
  EXPECT_EQ(combining.finish(), "");
  combining.begin(3, 2, Deadline::after(1min), &waker);
  EXPECT_TRUE(combining.ready()) << "they were asked in the pull before";
  EXPECT_EQ(combining.finish(), "");
}

TEST(SubscriptionRoundLocalTest, ChildrenThatAreReadHereAreReadInEachPull) {
  Combining combining({.subscription_interval = 1ms}, 2);
  EXPECT_EQ(combining.call(1, 0), "1 2");
  EXPECT_EQ(combining.call(2, 1), "1 2");
}

}  // namespace
}  // namespace eventspace
