#include "monitors/watching/watch_loop.h"

#include <gmock/gmock.h>

#include <stdexcept>

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
  /// How often it looks when each look asks for a pause of a second.
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

TEST_F(WatchLoopTest, EndsWithTheLookThatAsksForNoPause) {
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

TEST_F(WatchLoopTest, CountsTheTimeOfLooksAsWell) {
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

TEST(RealTimeTest, PausesAndDoesNotGoBack) {
  RealTime time;
  const Timeline::Time before = time.now();
  EXPECT_FALSE(time.wait(1ms));
  EXPECT_GE(time.now() - before, 1ms);
}

}  // namespace
}  // namespace eventspace
