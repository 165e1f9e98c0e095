#include "monitors/heartbeat/heartbeat_pace.h"

#include <gmock/gmock.h>

// Tests the times of a heartbeat's pulls, without processes, sockets or clocks.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::HasSubstr;
using testing::Optional;
using Wishes = HeartbeatPace::Wishes;

HeartbeatPace::Time at(nanoseconds since_start) {
  return HeartbeatPace::Time(std::chrono::duration_cast<HeartbeatPace::Time::duration>(since_start));
}

View without(MissingCause cause) {
  View view;
  view.missing.push_back({"n2", "server of node n2", cause, "", 6});
  return view;
}

TEST(HeartbeatPace, PullsASecondApartByDefault) {
  const HeartbeatPace pace({}, 1s);
  EXPECT_EQ(pace.interval(), 1s);
  EXPECT_EQ(pace.complaint(), std::nullopt);
}

TEST(HeartbeatPace, PullsHalfASetTimeApartWhenThatIsShort) {
  EXPECT_EQ(HeartbeatPace({.stall = 400ms}, 1s).interval(), 200ms);
  EXPECT_EQ(HeartbeatPace({.stall = 30s}, 1s).interval(), 1s);
  EXPECT_GT(HeartbeatPace({.stall = 0s}, 1s).interval(), 0s);
}

TEST(HeartbeatPace, ObeysTheOptionsAndWarnsOfTheConsequences) {
  const HeartbeatPace pace({.stall = 2s, .interval = 5s}, 1s);
  EXPECT_EQ(pace.interval(), 5s);
  EXPECT_THAT(pace.complaint(), Optional(HasSubstr("--interval 1.0s or less")));
  EXPECT_EQ(HeartbeatPace({.stall = 2s, .interval = 1s}, 1s).complaint(), std::nullopt);
  EXPECT_EQ(HeartbeatPace({.stall = 2s, .interval = 0s}, 1s).interval(), 0s);
}

TEST(HeartbeatPace, CountsTheIntervalFromStartToStart) {
  HeartbeatPace pace({}, 1s);
  pace.pulled(at(10s), {});
  EXPECT_EQ(pace.pause(at(10s)), 1s);
  EXPECT_EQ(pace.pause(at(10300ms)), 700ms);
  EXPECT_EQ(pace.pause(at(12s)), 0s);
}

TEST(HeartbeatPace, WaitsAsTheScopeSaysUntilAServerTimesOut) {
  HeartbeatPace pace({.stall = 2s}, 5s);
  EXPECT_EQ(pace.timeout(), 5s);
  pace.pulled(at(0s), {});
  EXPECT_EQ(pace.timeout(), 5s);
  pace.pulled(at(1s), without(MissingCause::no_answer));
  EXPECT_EQ(pace.timeout(), 500ms);
  pace.pulled(at(6s), without(MissingCause::late));
  EXPECT_EQ(pace.timeout(), 500ms);
  pace.pulled(at(7s), {});
  EXPECT_EQ(pace.timeout(), 5s);
}

TEST(HeartbeatPace, NeverWaitsForLongerThanTheScopeSays) {
  HeartbeatPace pace({.stall = 30s}, 5ms);
  pace.pulled(at(0s), without(MissingCause::no_answer));
  EXPECT_EQ(pace.timeout(), 5ms);
}

TEST(HeartbeatPace, ASkippedServerCostsNoTime) {
  HeartbeatPace pace({.stall = 2s}, 5s);
  for (const MissingCause cause : {MissingCause::no_segment, MissingCause::skipped, MissingCause::refused}) {
    pace.pulled(at(0s), without(cause));
    EXPECT_EQ(pace.timeout(), 5s) << to_string(cause);
  }
}

TEST(HeartbeatPace, AnExplicitTimeoutIsKept) {
  HeartbeatPace pace({.stall = 2s, .timeout = 3s}, 5s);
  pace.pulled(at(0s), without(MissingCause::no_answer));
  EXPECT_EQ(pace.timeout(), 3s);
}

// While one server stays silent, every stall of threads behind the others is shown at the end of the first
// pull that begins after the set time.
TEST(HeartbeatPace, TheSilenceOfOneServerDoesNotDelayTheStallsOfOthers) {
  for (const nanoseconds stall : {400ms, 2000ms, 10000ms}) {
    HeartbeatPace pace({.stall = stall}, 5s);
    nanoseconds now = 0s;
    const auto pull = [&] {  // the time until the end of the next pull
      const nanoseconds begun = now;
      now += pace.timeout();
      pace.pulled(at(begun), without(MissingCause::no_answer));
      now += pace.pause(at(now));
      return now + pace.timeout() - begun;
    };
    pull();  // finds the silent server
    for (int i = 0; i < 10; ++i) EXPECT_LT(pull(), stall);
  }
}

}  // namespace
}  // namespace eventspace
