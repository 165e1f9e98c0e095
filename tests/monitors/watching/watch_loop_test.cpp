#include "monitors/watching/watch_loop.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/monitors/watching/test_timeline.h"

// The loop of monitors on a timeline that a test moves: nothing waits.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::TestTimeline;
using testing::ElementsAre;
using testing::IsEmpty;

class WatchLoopTest : public testing::Test {
 protected:
  /// The number of looks when each requests a pause of a second.
  int looks(WatchLoop::Limits limits) {
    int count = 0;
    WatchLoop(timeline, limits).run([&]() -> WatchLoop::Pause {
      ++count;
      return 1s;
    });
    return count;
  }
  TestTimeline timeline;
};

TEST_F(WatchLoopTest, EndsWithTheStepThatRequestsNoPause) {
  int left = 3;
  WatchLoop(timeline).run(
      [&]() -> WatchLoop::Pause { return --left == 0 ? std::nullopt : WatchLoop::Pause(left * 1s); });
  EXPECT_EQ(left, 0);
  EXPECT_THAT(timeline.pauses(), ElementsAre(2s, 1s));
}

TEST_F(WatchLoopTest, DoesNotPauseAfterTheLastLook) {
  EXPECT_EQ(looks({.looks = 3}), 3);
  EXPECT_THAT(timeline.pauses(), ElementsAre(1s, 1s));
}

TEST_F(WatchLoopTest, TheLookThatReachesTheDurationIsTheLast) {
  EXPECT_EQ(looks({.duration = 2500ms}), 4);
  EXPECT_EQ(timeline.elapsed(), 3s);
}

TEST_F(WatchLoopTest, LooksAtLeastOnce) { EXPECT_EQ(looks({.duration = 0s}), 1); }

TEST_F(WatchLoopTest, EndsInThePauseInWhichTheTimelineEnds) {
  timeline.end_after(3s);
  EXPECT_EQ(looks({}), 3);
}

TEST_F(WatchLoopTest, CountsTheTimeOfStepsToo) {
  WatchLoop loop(timeline, {.duration = 3s});
  std::vector<nanoseconds> at;
  loop.run([&]() -> WatchLoop::Pause {
    timeline.advance(500ms);
    at.push_back(loop.elapsed());
    return 1s;
  });
  EXPECT_THAT(at, ElementsAre(500ms, 2s, 3500ms));
}

TEST_F(WatchLoopTest, PassesOnExceptionsOfALook) {
  WatchLoop loop(timeline);
  EXPECT_THROW(loop.run([]() -> WatchLoop::Pause { throw std::runtime_error("gone"); }), std::runtime_error);
  EXPECT_THAT(timeline.pauses(), IsEmpty());
}

// Each pull reads ten events.
class ReadsItsRest : public WatchLoopTest {
 protected:
  /// Returns the number of events read in each look.
  std::vector<int> read_in_looks(WatchLoop::Limits limits, bool is_behind = true) {
    WatchLoop loop(timeline, limits);
    loop.read_rest({.find_end = [this] { has_end_ = true; },
                    .count = [this] { return has_end_ ? left : 0; },
                    .is_behind = [is_behind] { return is_behind; }});
    std::vector<int> looks;
    loop.run([&]() -> WatchLoop::Pause {
      looks.push_back(0);
      do {
        looks.back() += 10;
        left -= has_end_ ? std::min<std::uint64_t>(left, 10) : 0;
        timeline.advance(10ms);
      } while (loop.has_rest());
      return is_enough ? std::nullopt : WatchLoop::Pause(1s);
    });
    return looks;
  }
  std::uint64_t left{35};
  bool is_enough{false};

 private:
  bool has_end_{false};
};

TEST_F(ReadsItsRest, AMonitorEndedByASignalReadsCompletedRecordsFirst) {
  timeline.end_after(2s);
  EXPECT_THAT(read_in_looks({}), ElementsAre(10, 10, 40));
  EXPECT_EQ(left, 0U);
}

TEST_F(ReadsItsRest, ReadingAtTheEndIsLimitedInTime) {
  timeline.end_after(2s);
  left = 1'000'000;
  EXPECT_THAT(read_in_looks({}), testing::SizeIs(3));
  EXPECT_LE(timeline.elapsed(), 3s + WatchLoop::longest_rest);
  EXPECT_GT(left, 0U);
}

TEST_F(ReadsItsRest, AMonitorWhoseTimeIsUpReadsOnlyIfItIsBehind) {
  EXPECT_THAT(read_in_looks({.duration = 1s}, false), ElementsAre(10, 10));
  EXPECT_THAT(read_in_looks({.duration = 1s}, true), ElementsAre(10, 10, 40));
}

TEST_F(ReadsItsRest, AMonitorThatHasSeenEnoughReadsNoMore) {
  EXPECT_THAT(read_in_looks({.looks = 2}), ElementsAre(10, 10));
  is_enough = true;
  EXPECT_THAT(read_in_looks({}), ElementsAre(10));
}

TEST_F(ReadsItsRest, AMonitorEndedByASignalInAStepOnlyCountsUnreadRecords) {
  is_enough = true;
  timeline.end_after(0s);
  EXPECT_THAT(read_in_looks({}), ElementsAre(10));
  EXPECT_EQ(left, 35U);
}

TEST(RealTimeTest, PausesAndDoesNotGoBack) {
  RealTime time;
  const Timeline::Time before = time.now();
  EXPECT_FALSE(time.wait(1ms));
  EXPECT_GE(time.now() - before, 1ms);
}

}  // namespace
}  // namespace eventspace
