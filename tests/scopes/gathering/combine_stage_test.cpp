#include "scopes/gathering/combine_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include "scopes/wrappers/scope_wrappers.h"
#include "tests/scopes/gathering/fake_child.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Combining;
using test::CountingWaker;

TEST(CombineStageTest, TheViewsStandInTheOrderOfTheChildren) {
  Combining combining({.timed_as = "all"}, 2);
  EXPECT_EQ(combining.call(1, 0), "1 2");
  EXPECT_EQ(combining.operation.status, Status::ok);
  ASSERT_EQ(combining.pull.view.levels.size(), 1u);
  EXPECT_EQ(combining.pull.view.levels[0].name, "all");
  EXPECT_EQ(combining.pull.view.levels[0].records, 2u);
  EXPECT_EQ(combining.pull.view.levels[0].aggregates, 0u);
}

TEST(CombineStageTest, AChildThatIsLateIsNamedAndTheRestIsYielded) {
  Combining combining({}, 2);
  combining.stories[0].answers = false;
  EXPECT_EQ(combining.call(1, 0), "2 child 1: no answer");
  EXPECT_EQ(combining.operation.status, Status::ok);
}

TEST(CombineStageTest, ItIsReadyWhenAllChildrenAre) {
  Combining combining({}, 2);
  combining.stories[0].answers = false;
  combining.begin(1, 0);
  EXPECT_FALSE(combining.ready());
  combining.stories[0].answers = true;
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "1 2");
}

TEST(CombineStageTest, WithoutChildrenItIsReady) {
  Combining combining({}, 0);
  combining.begin(1, 0);
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "");
}

TEST(CombineStageTest, EachPullBeginsAnew) {
  Combining combining({}, 2);
  EXPECT_EQ(combining.call(1, 0), "1 2");
  EXPECT_EQ(combining.call(2, 1), "1 2");
}

// --- records that no wrapper here reads ------------------------------------------------------------

std::vector<std::unique_ptr<ViewOperator>> operators(const std::string& wrapper) {
  static const test::PlainNames names;
  const ScopeWrapperInfo* const info = find_scope_wrapper(wrapper);
  std::vector<std::unique_ptr<ViewOperator>> operators;
  operators.push_back(info->make(complete_parameters(info->parameters, {}, wrapper), names));
  return operators;
}

/// Three children; the second yields its record in a block.
Combining with_blocks(const std::string& wrapper) {
  Combining combining({.timed_as = "all"}, 3, {}, false, operators(wrapper));
  combining.stories[1].in_blocks = true;
  return combining;
}

TEST(CombineStageTest, AGatherPassesBlocksOnUncopiedAndCountsTheirRecords) {
  Combining combining({.timed_as = "all"}, 3, {}, false, operators("gather"));
  for (auto& story : combining.stories) story.in_blocks = true;
  combining.begin(1, 0);
  combining.stage->finish(combining.operation);
  EXPECT_EQ(combining.pull.view.levels[0].records, 3u);
  EXPECT_EQ(combining.pull.view.records.own_size(), 0u);
  EXPECT_EQ(test::told(combining.pull.view), "1 2 3");
}

TEST(CombineStageTest, RecordsInBlocksKeepTheirPlaceAmongOthers) {
  EXPECT_EQ(with_blocks("gather").call(1, 0), "1 2 3");
}

TEST(CombineStageTest, AWrapperThatActsOnRecordsSeesThemAll) {
  Combining combining = with_blocks("reduce");
  combining.begin(1, 0);
  combining.finish();
  EXPECT_EQ(combining.pull.view.record_count(), 1u);
  EXPECT_EQ(combining.pull.view.loss.reduced, 2u);
}

// --- records that go ahead -------------------------------------------------------------------------

struct TakesAll final : RecordsAhead {
  void offer(View& view) override { view.gone_ahead += std::exchange(view.records, {}).size(); }
};

/// Returns whether the first of `children` children may send records ahead in a pull through `wrapper`.
bool lets_records_go_ahead(const std::string& wrapper, std::size_t children, bool local) {
  Combining combining({.timed_as = "all"}, children, {}, false, operators(wrapper), local);
  TakesAll ahead;
  combining.begin(1, 0);
  combining.pull.ahead = &ahead;
  combining.finish();
  return combining.stories[0].goes_ahead;
}

TEST(CombineStageTest, ALocalOnlyChildSendsRecordsAheadIfNoWrapperActsOnThem) {
  EXPECT_TRUE(lets_records_go_ahead("gather", 1, true));
  EXPECT_FALSE(lets_records_go_ahead("gather", 2, true)) << "others may have to stand before them";
  EXPECT_FALSE(lets_records_go_ahead("gather", 1, false)) << "it may be late";
  EXPECT_FALSE(lets_records_go_ahead("sort", 1, true));
}

TEST(CombineStageTest, RecordsGoAheadOnlyIfThePullHasASink) {
  Combining combining({}, 1, {}, false, operators("gather"), true);
  EXPECT_EQ(combining.call(1, 0), "1");
  EXPECT_FALSE(combining.stories[0].goes_ahead);
}

// --- how long it waits -----------------------------------------------------------------------------

TEST(CombineStageTest, ACallerThatPollsLearnsWhenTheChildrensTimeIsUp) {
  Combining combining({}, 2, {20ms, 5s});
  combining.let_no_child_answer();
  combining.begin(1, 0);
  EXPECT_LE(combining.operation.deadline.left(), 5s);
  EXPECT_GT(combining.operation.deadline.left(), 1s);
  combining.stories[1].answers = true;
  EXPECT_FALSE(combining.ready());
  EXPECT_LE(combining.operation.deadline.left(), 20ms);  // only the first is waited for now
  EXPECT_EQ(combining.finish(), "2 child 1: no answer");
}

TEST(CombineStageTest, ADeadlineIsNeverPutOff) {
  Combining combining({}, 2, {60s, 60s});
  combining.stories[0].answers = false;
  combining.begin(1, 0, Deadline::after(10ms));
  EXPECT_LE(combining.operation.deadline.left(), 10ms);
  combining.finish();
}

TEST(CombineStageTest, WithoutTimeOutsItWaitsForAll) {
  Combining combining({}, 3);
  combining.let_no_child_answer();
  combining.begin(1, 0, Deadline::never());
  for (auto& story : combining.stories) {
    EXPECT_FALSE(combining.ready());
    EXPECT_TRUE(combining.operation.deadline.is_never());
    story.answers = true;
  }
  EXPECT_TRUE(combining.ready());
  EXPECT_EQ(combining.finish(), "1 2 3");
}

TEST(CombineStageTest, TheDeadlineIsTheLatestOfThoseThatAreStillWaitedFor) {
  const std::size_t count = 20;
  std::vector<std::chrono::nanoseconds> timeouts;
  for (std::size_t i = 0; i < count; ++i) timeouts.emplace_back((i + 1) * 1h);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(4711));
  Combining combining({}, count, timeouts);
  combining.let_no_child_answer();
  CountingWaker waker;
  combining.begin(1, 0, Deadline::never(), &waker);
  std::vector<bool> open(count, true);
  for (const std::size_t next : order) {
    EXPECT_FALSE(combining.ready());
    const auto last =
        static_cast<std::size_t>(std::find(open.rbegin(), open.rend(), true).base() - open.begin());
    EXPECT_EQ(std::chrono::ceil<std::chrono::hours>(combining.operation.deadline.left()), last * 1h);
    combining.stories[next].answer();
    open[next] = false;
  }
  EXPECT_TRUE(combining.ready());
}

TEST(CombineStageTest, AChildThatActsByTheClockIsAskedAgainWhenItSaysSo) {
  Combining combining({}, 3);
  combining.let_no_child_answer();
  combining.stories[1].looks_again = Deadline::after(1h);
  CountingWaker waker;
  combining.begin(1, 0, Deadline::never(), &waker);
  EXPECT_FALSE(combining.ready());
  EXPECT_EQ(combining.operation.look_again.time(), combining.stories[1].looks_again.time());
  combining.stories[1].looks_again = Deadline::now();
  combining.stories[1].waker->wake();
  EXPECT_FALSE(combining.ready());
  EXPECT_TRUE(combining.operation.look_again.is_now());
  const int asked = combining.stories[1].asked;
  EXPECT_FALSE(combining.ready());  // no waker was called
  EXPECT_EQ(combining.stories[1].asked, asked + 1);
  EXPECT_EQ(combining.stories[0].asked, 1);
  combining.stories[1].answers = true;
  EXPECT_FALSE(combining.ready());
  EXPECT_TRUE(combining.operation.look_again.is_never());
}

// --- children on servers ---------------------------------------------------------------------------

/// A pull of three children on servers that waits for only one at first. On a busy machine the short time for
/// which this holds may be over at once.
std::unique_ptr<Combining> waiting_for_one(CountingWaker& waker) {
  while (true) {
    auto combining =
        std::make_unique<Combining>(CombineStage::Config{}, 3, std::vector<std::chrono::nanoseconds>{}, true);
    combining->begin_unanswered(waker, Deadline::after(1min));
    if (combining->asked() == 1) return combining;
    EXPECT_EQ(combining->asked(), 3);
    combining->finish();
  }
}

TEST(CombineStageTest, TheLastChildOnAServerIsWaitedForBeforeTheOthersAreAsked) {
  CountingWaker waker;
  const auto combining = waiting_for_one(waker);
  EXPECT_EQ(combining->stories[2].asked, 1);
  EXPECT_EQ(combining->stories[0].waker, nullptr);
  EXPECT_EQ(combining->stories[1].waker, nullptr);
  for (auto& story : combining->stories) story.answers = true;
  combining->stories[2].answer();
  EXPECT_EQ(waker.count, 1);
  EXPECT_TRUE(combining->ready());
  EXPECT_EQ(combining->finish(), "1 2 3");
}

TEST(CombineStageTest, TheNextChildOnAServerIsWaitedForWhenTheLastHasAnswered) {
  CountingWaker waker;
  const auto combining = waiting_for_one(waker);
  combining->stories[2].answer();
  EXPECT_FALSE(combining->ready());
  ASSERT_NE(combining->stories[1].waker, nullptr);
  combining->stories[0].answers = true;
  combining->stories[1].answer();
  EXPECT_EQ(waker.count, 2);
  EXPECT_TRUE(combining->ready());
  EXPECT_EQ(combining->finish(), "1 2 3");
}

TEST(CombineStageTest, ASlowChildOnAServerDoesNotDelayTheOthers) {
  CountingWaker waker;
  const auto combining = waiting_for_one(waker);
  ASSERT_FALSE(combining->operation.look_again.is_never());
  while (!combining->operation.look_again.passed()) std::this_thread::yield();
  EXPECT_FALSE(combining->ready());
  EXPECT_EQ(combining->asked(), 3);
  for (const test::ChildStory& story : combining->stories) EXPECT_NE(story.waker, nullptr);
  EXPECT_TRUE(combining->operation.look_again.is_never());
  combining->finish();
}

TEST(CombineStageTest, ACallerThatPollsAsksAllChildrenOnServers) {
  Combining combining({}, 3, {}, true);
  combining.let_no_child_answer();
  combining.begin(1, 0);
  EXPECT_FALSE(combining.ready());
  EXPECT_EQ(combining.asked(), 3);
  combining.finish();
}

// --- how often it asks -----------------------------------------------------------------------------

class CombineStageAsksTest : public testing::TestWithParam<std::size_t> {};

TEST_P(CombineStageAsksTest, EachChildIsAskedWhenThereIsNewsOfIt) {
  const std::size_t count = GetParam();
  Combining combining({}, count);
  CountingWaker waker;
  combining.begin_unanswered(waker, Deadline::after(1min));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(4711));
  for (std::size_t i = 0; i < count; ++i) {
    combining.stories[order[i]].answer();
    EXPECT_EQ(combining.ready(), i + 1 == count);
  }
  EXPECT_EQ(waker.count, static_cast<int>(count));
  EXPECT_EQ(combining.asked(), static_cast<int>(2 * count));
  combining.finish();
  EXPECT_EQ(combining.pull.view.records.size(), count);
}

TEST_P(CombineStageAsksTest, OnlyAChildWokenInVainIsAskedAgain) {
  const std::size_t count = GetParam();
  Combining combining({}, count);
  CountingWaker waker;
  combining.begin_unanswered(waker, Deadline::after(1min));
  for (int times = 0; times < 3; ++times) {
    combining.stories[count / 2].waker->wake();
    EXPECT_FALSE(combining.ready());
    EXPECT_FALSE(combining.ready());
  }
  EXPECT_EQ(combining.asked(), static_cast<int>(count) + 3);
  combining.finish();
}

INSTANTIATE_TEST_SUITE_P(Children, CombineStageAsksTest, testing::Values(1, 64, 1024),
                         testing::PrintToStringParamName());

TEST(CombineStageTest, ChildrenThatAreWokenByOtherThreadsAreAllSeen) {
  constexpr std::size_t count = 64;
  struct AtomicChild final : Stage {
    explicit AtomicChild(std::atomic<bool>& is_ready) : answers(&is_ready) {}
    void begin(Operation& operation) override { operation.status = Status::under_way; }
    bool ready(Operation& /*operation*/) override { return answers->load(std::memory_order_relaxed); }
    void finish(Operation& operation) override { operation.status = Status::ok; }
    std::atomic<bool>* answers;
  };
  struct Recording final : Stage {  // records the waker of its child's operation
    Recording(std::unique_ptr<Stage> child, Waker*& waker) : next(std::move(child)), told(&waker) {}
    void begin(Operation& operation) override {
      *told = operation.waker;
      next->begin(operation);
    }
    bool ready(Operation& operation) override { return next->ready(operation); }
    void finish(Operation& operation) override { next->finish(operation); }
    std::unique_ptr<Stage> next;
    Waker** told;
  };
  std::vector<std::atomic<bool>> answers(count);
  std::vector<Waker*> wakers(count);
  std::vector<CombineStage::Child> children(count);
  for (std::size_t i = 0; i < count; ++i)
    children[i].stage = std::make_unique<Recording>(std::make_unique<AtomicChild>(answers[i]), wakers[i]);
  CombineStage stage({}, std::move(children), {});
  for (std::uint64_t id = 1; id <= 50; ++id) {
    for (auto& answer : answers) answer = false;
    CountingWaker waker;
    Pull pull;
    pull.id = id;
    pull.after = id - 1;
    Operation operation;
    operation.verb = Verb::pull;
    operation.body = &pull;
    operation.waker = &waker;
    stage.begin(operation);
    std::vector<std::jthread> others;
    for (std::size_t part = 0; part < 4; ++part) {
      others.emplace_back([&, part] {
        for (std::size_t i = part; i < count; i += 4) {
          answers[i].store(true, std::memory_order_relaxed);
          wakers[i]->wake();
        }
      });
    }
    const Deadline patience = Deadline::after(20s);
    while (!stage.ready(operation) && !patience.passed()) std::this_thread::yield();
    EXPECT_FALSE(patience.passed());
    others.clear();
    stage.finish(operation);
  }
}

}  // namespace
}  // namespace eventspace
