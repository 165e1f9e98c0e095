#include "monitors/archive/pull_pace.h"

#include <gmock/gmock.h>

#include <vector>

#include "collectors/event_record.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// Trace elements that keep 160 events each: a sixteenth are ten.
class PullPaceTest : public testing::Test {
 protected:
  static constexpr std::uint64_t sixteenth = 10;
  /// A turn with this many new events in each trace element; returns the pause after it.
  nanoseconds turn(const std::vector<std::size_t>& events, nanoseconds elapsed) {
    std::vector<TraceTuple> records;
    for (std::size_t path = 0; path < events.size(); ++path) {
      EventRecord record;
      record.path = static_cast<std::uint32_t>(path);
      records.insert(records.end(), events[path], encode(record));
    }
    pace_.see(records);
    return pace_.next(elapsed);
  }

  PullPace pace_{{.shortest = 20ms, .longest = 100ms, .threshold = 16 * sixteenth}};
};

TEST_F(PullPaceTest, WhereTraceElementsFillSlowlyPausesGrowTwofoldUpToTheLongest) {
  EXPECT_EQ(turn({1, 1, 1}, 20ms), 40ms);
  EXPECT_EQ(turn({2, 1, 2}, 40ms), 80ms);
  EXPECT_EQ(turn({4, 3, 4}, 80ms), 100ms);
  EXPECT_EQ(turn({5, 5, 4}, 100ms), 100ms);
}

TEST_F(PullPaceTest, ThePauseIsThatInWhichTheFastestTraceElementFillsByASixteenth) {
  turn({1}, 20ms);
  EXPECT_EQ(turn({1, 8, 1}, 40ms), 50ms);
  EXPECT_EQ(turn({1, 10, 1}, 50ms), 50ms);
  EXPECT_EQ(turn({1, 20, 1}, 50ms), 25ms);
}

TEST_F(PullPaceTest, FastTraceElementsAreReadAsSoonAsPossible) {
  turn({1}, 20ms);
  EXPECT_EQ(turn({1, 100}, 40ms), 20ms);
  EXPECT_EQ(turn({1, 11}, 20ms), 20ms);
}

TEST_F(PullPaceTest, PausesStayShortWhileNothingIsRecorded) {
  turn({1}, 20ms);
  EXPECT_EQ(turn({}, 40ms), 20ms);
  EXPECT_EQ(turn({}, 20ms), 20ms);
}

TEST_F(PullPaceTest, ALossIsAnsweredAtOnce) {
  turn({1}, 20ms);
  pace_.hurry();
  EXPECT_EQ(turn({1}, 40ms), 20ms);
  EXPECT_EQ(turn({1}, 20ms), 40ms) << "it is over";
}

TEST_F(PullPaceTest, TheFastestTraceElementCountsAndNotTheSum) {
  EXPECT_EQ(turn({9, 9, 9}, 20ms), nanoseconds(20ms) * 10 / 9);
}

}  // namespace
}  // namespace eventspace
