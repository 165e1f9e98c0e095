#include "scopes/gathering/watched_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include <eventspace/error.h>
#include "tests/scopes/gathering/fake_child.h"
#include "tests/tuplespace/system/new_threads.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::ChildStory;
using test::FakeChild;
using testing::ElementsAre;
using testing::HasSubstr;

/// The script of a wrapper, which the test writes. The wrapper counts each view that it was applied to as
/// filtered.
class WrapperStory {
 public:
  void hang() { set_open(false); }
  void go_on() { set_open(true); }
  void throws(std::string what) {
    const std::lock_guard lock(mutex_);
    thrown_ = std::move(what);
  }
  /// Returns whether the wrapper hangs within a minute.
  bool comes_to_hang() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [this] { return hangs_; });
  }
  [[nodiscard]] int ended() const { return ended_.load(); }

  void act(View& view) {
    std::unique_lock lock(mutex_);
    hangs_ = !open_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    hangs_ = false;
    if (thrown_ == "a number") throw 7;
    if (!thrown_.empty()) throw std::runtime_error(thrown_);
    ++view.loss.filtered;
  }
  void end() { ++ended_; }

 private:
  void set_open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_{true};
  bool hangs_{false};
  std::string thrown_;
  std::atomic<int> ended_{0};
};

class StoryOperator final : public ViewOperator {
 public:
  explicit StoryOperator(std::shared_ptr<WrapperStory> story) : story_(std::move(story)) {}
  ~StoryOperator() override { story_->end(); }
  StoryOperator(const StoryOperator&) = delete;
  StoryOperator& operator=(const StoryOperator&) = delete;
  void apply(View& view) override { story_->act(view); }

 private:
  std::shared_ptr<WrapperStory> story_;
};

class WatchedStageTest : public testing::Test {
 protected:
  explicit WatchedStageTest(std::chrono::nanoseconds limit = 1h) { build(limit); }
  ~WatchedStageTest() override {
    wrapper->go_on();  // leaves no thread behind for other tests
    stage.reset();
    EXPECT_TRUE(none_is_left());
  }

  void build(std::chrono::nanoseconds limit) {
    stage = std::make_unique<WatchedStage>(
        WatchedStage::Config{limit, {"n1", "wrapper odd of node n1", {}, "", 4}},
        std::make_unique<FakeChild>(child),
        std::make_unique<OperatorThread>(std::make_unique<StoryOperator>(wrapper), nullptr));
  }

  void begin(std::uint64_t id, std::uint64_t after, Deadline deadline = Deadline::after(1h),
             Waker* waker = nullptr) {
    pull = {};
    pull.id = id;
    pull.after = after;
    operation = Operation{};
    operation.verb = Verb::pull;
    operation.body = &pull;
    operation.deadline = deadline;
    operation.waker = waker;
    stage->begin(operation);
  }
  /// "1 filtered", "wrapper odd of node n1: failed"
  std::string finish() {
    stage->finish(operation);
    EXPECT_EQ(operation.status, Status::ok);
    std::string text = test::told(pull.view);
    if (pull.view.loss.filtered > 0) text += " filtered";
    for (const Missing& missing : pull.view.missing)
      text += (text.empty() ? "" : " ") + missing.what + ": " + std::string(to_string(missing.cause));
    return text;
  }
  std::string call(std::uint64_t id, std::uint64_t after, Deadline deadline = Deadline::after(1h)) {
    begin(id, after, deadline);
    return finish();
  }
  [[nodiscard]] static bool none_is_left() {
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      if (OperatorThread::left_to_themselves() == 0) return true;
      std::this_thread::yield();
    }
    return false;
  }

  std::shared_ptr<WrapperStory> wrapper = std::make_shared<WrapperStory>();
  ChildStory child;
  Pull pull;
  Operation operation;
  std::unique_ptr<WatchedStage> stage;
};

TEST_F(WatchedStageTest, TheWrapperActsOnTheViewBelow) {
  EXPECT_EQ(call(1, 0), "1 filtered");
  EXPECT_EQ(call(2, 1), "1 filtered");
  EXPECT_THAT(child.pulls, ElementsAre("1 after 0", "2 after 1"));
}

TEST_F(WatchedStageTest, TheThreadOfTheWrapperBlocksSignals) {
  const test::NewThreads added;
  EXPECT_EQ(call(1, 0), "1 filtered");
  EXPECT_EQ(added.that_block_all_signals(), 1);
  EXPECT_EQ(added.that_do_not(), 0);
}

TEST_F(WatchedStageTest, AWrapperThatThrowsIsNamedAndItsRecordsAreDroppedAndCounted) {
  wrapper->throws("no such colour");
  EXPECT_EQ(call(1, 0), "wrapper odd of node n1: failed");
  EXPECT_EQ(pull.view.loss.failed, 1U);
  EXPECT_THAT(pull.view.missing.at(0).detail, HasSubstr("no such colour"));
  EXPECT_EQ(pull.view.missing.at(0).node, "n1");
  EXPECT_EQ(pull.view.missing.at(0).sources, 4U);
  wrapper->throws("");
  EXPECT_EQ(call(2, 1), "1 filtered");
  EXPECT_THAT(child.pulls,
              ElementsAre("1 after 0", "2 after 1"));  // the view for which it threw is not read again
}

TEST_F(WatchedStageTest, AnythingMayBeThrown) {
  wrapper->throws("a number");
  EXPECT_EQ(call(1, 0), "wrapper odd of node n1: failed");
  EXPECT_THAT(pull.view.missing.at(0).detail, HasSubstr("not a std::exception"));
}

TEST_F(WatchedStageTest, TheRestOfTheViewIsPassedOnWhenItThrows) {
  child.answers = false;  // then it is listed as missing
  wrapper->throws("oh");
  EXPECT_EQ(call(1, 0), "child 1: no answer wrapper odd of node n1: failed");
}

struct HangingWrapperTest : WatchedStageTest {
  HangingWrapperTest() : WatchedStageTest(1ns) { wrapper->hang(); }
};

TEST_F(HangingWrapperTest, AWrapperThatHangsIsNamedAndSkippedUntilItReturns) {
  EXPECT_EQ(call(1, 0), "wrapper odd of node n1: no answer");
  ASSERT_TRUE(wrapper->comes_to_hang());
  EXPECT_EQ(call(2, 1), "wrapper odd of node n1: skipped");
  EXPECT_EQ(call(3, 2), "wrapper odd of node n1: skipped");
  EXPECT_THAT(pull.view.missing.at(0).detail, HasSubstr("left out of 2 pulls"));
  EXPECT_EQ(child.begun, 1);  // the stage below is not pulled while the wrapper hangs
  wrapper->go_on();
  std::uint64_t id = 3;
  std::string told;
  do {
    told = call(id + 1, id);
    ++id;
  } while (told == "wrapper odd of node n1: skipped");
  EXPECT_EQ(told, "1 filtered");
}

TEST_F(HangingWrapperTest, AViewThatIsLostOnItsWayIsAskedForAgain) {
  (void)call(1, 0);
  wrapper->go_on();
  std::uint64_t id = 2;
  while (call(id, id - 1) == "wrapper odd of node n1: skipped") ++id;
  build(1h);  // a limit that is kept from now on
  child.pulls.clear();
  EXPECT_EQ(call(1, 0), "1 filtered");
  EXPECT_EQ(call(2, 0), "1 filtered");  // because the view of pull 1 did not arrive
  EXPECT_EQ(call(3, 2), "1 filtered");
  EXPECT_THAT(child.pulls, ElementsAre("1 after 0", "2 after 0", "3 after 2"));
}

TEST_F(WatchedStageTest, AskingDoesNotWaitForTheWrapper) {
  wrapper->hang();
  test::CountingWaker waker;
  begin(1, 0, Deadline::after(1h), &waker);
  EXPECT_FALSE(stage->ready(operation));
  ASSERT_TRUE(wrapper->comes_to_hang());
  EXPECT_FALSE(stage->ready(operation));
  EXPECT_FALSE(operation.look_again.is_never());
  EXPECT_EQ(waker.count, 0);
  wrapper->go_on();
  while (!stage->ready(operation)) std::this_thread::yield();
  EXPECT_EQ(waker.count, 1);
  EXPECT_EQ(finish(), "1 filtered");
}

TEST_F(WatchedStageTest, TheStageBelowIsAskedFirst) {
  child.answers = false;
  begin(1, 0);
  EXPECT_FALSE(stage->ready(operation));
  child.answers = true;
  EXPECT_EQ(finish(), "1 filtered");
}

TEST_F(WatchedStageTest, WithoutTimeItsViewComesWithALaterPull) {
  wrapper->hang();
  EXPECT_EQ(call(1, 0, Deadline::now()), "wrapper odd of node n1: no answer");
  wrapper->go_on();
  std::uint64_t id = 2;
  std::string told;
  while ((told = call(id, id - 1)) == "wrapper odd of node n1: skipped") ++id;
  EXPECT_EQ(told, "1 filtered");
}

TEST_F(WatchedStageTest, DestroyingTheStageFinishesTheOperationBelow) {
  begin(1, 0);
  stage.reset();
  EXPECT_EQ(child.finished, 1);
}

TEST_F(HangingWrapperTest, AThreadThatHangsIsLeftToItselfWhenTheScopeIsClosed) {
  (void)call(1, 0);
  ASSERT_TRUE(wrapper->comes_to_hang());
  stage.reset();
  EXPECT_EQ(OperatorThread::left_to_themselves(), 1U);
  EXPECT_EQ(wrapper->ended(), 0);
  wrapper->go_on();
  EXPECT_TRUE(none_is_left());
}

TEST_F(HangingWrapperTest, OnlySoManyThreadsAreLeftToThemselves) {
  std::vector<std::shared_ptr<WrapperStory>> stories;
  for (std::size_t i = 0; i < OperatorThread::max_left; ++i) {
    stories.push_back(wrapper = std::make_shared<WrapperStory>());
    wrapper->hang();
    build(1ns);
    (void)call(1, 0);
    ASSERT_TRUE(wrapper->comes_to_hang());
  }
  stage.reset();
  EXPECT_EQ(OperatorThread::left_to_themselves(), OperatorThread::max_left);
  EXPECT_THROW(build(1ns), EnvironmentError);
  for (const auto& story : stories) story->go_on();
  EXPECT_TRUE(none_is_left());
  build(1h);
  EXPECT_EQ(call(1, 0), "1 filtered");
}

// --- nothing is lost or repeated -------------------------------------------------------------------

/// A source of records 1, 2, 3 ... with a read position as in ReadStage.
class CountedSource final : public Stage {
 public:
  explicit CountedSource(std::mt19937& random) : random_(&random) {}
  void begin(Operation& operation) override {
    const Pull& asked = pull_of(operation);
    if (asked.after == sent_pull_) {
      committed_ = sent_;
    } else {
      sent_ = committed_;
    }
    sent_pull_ = asked.id;
    operation.status = Status::under_way;
  }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override {
    pull_of(operation).view.clear();
    for (auto count = (*random_)() % 3; count > 0; --count)
      pull_of(operation).view.records.push_back({{++sent_}});
    operation.status = Status::ok;
  }

 private:
  std::mt19937* random_;
  std::uint64_t committed_{0}, sent_{0}, sent_pull_{0};
};

/// Returns at once or somewhat later, and never throws.
class UnsteadyOperator final : public ViewOperator {
 public:
  explicit UnsteadyOperator(unsigned seed) : random_(seed) {}
  void apply(View& /*view*/) override {
    for (auto turns = random_() % 4; turns > 0; --turns) std::this_thread::yield();
  }

 private:
  std::mt19937 random_;
};

TEST(WatchedWrapper, EveryRecordComesOnceWhetherItIsLateOrItsViewIsLost) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    WatchedStage stage({std::chrono::nanoseconds(1), {}}, std::make_unique<CountedSource>(random),
                       std::make_unique<OperatorThread>(std::make_unique<UnsteadyOperator>(seed), nullptr));
    std::uint64_t arrived = 0;
    std::uint64_t expected = 1;
    const Deadline end = Deadline::after(60s);
    for (std::uint64_t id = 1; expected < 20 && !end.passed(); ++id) {
      std::this_thread::yield();
      Pull pull;
      pull.id = id;
      pull.after = arrived;
      Operation operation;
      operation.verb = Verb::pull;
      operation.body = &pull;
      operation.deadline = random() % 2 == 0 ? Deadline::now() : Deadline::after(1h);
      stage.call(operation);
      if (random() % 4 == 0) continue;  // the view is lost on its way to the caller
      arrived = id;
      for (const TraceTuple& record : pull.view.records)
        ASSERT_EQ(record.words[0], expected++) << "pull " << id;
    }
    EXPECT_GE(expected, 20U);
  }
}

}  // namespace
}  // namespace eventspace
