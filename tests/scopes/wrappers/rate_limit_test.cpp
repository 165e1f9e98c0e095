#include "scopes/wrappers/rate_limit.h"

#include <gtest/gtest.h>

#include <string>

#include "collectors/event_record.h"

namespace eventspace {
namespace {

/// Events of one trace element and a limit of 10 a second: one token each 100 ms, and at most two held.
class RateLimitTest : public testing::Test {
 protected:
  /// Returns whether each event passes, as "yn". `first` is the sequence number of the first event; the times
  /// are the ends of the events in milliseconds.
  std::string view(std::uint64_t first, std::initializer_list<std::uint64_t> ends_ms,
                   std::uint32_t path = 1) {
    limit.begin_view();
    std::string answer;
    for (const auto end_ms : ends_ms) answer += passes(first++, end_ms, path) ? 'y' : 'n';
    return answer;
  }

  bool passes(std::uint64_t sequence, std::uint64_t end_ms, std::uint32_t path) {
    EventRecord record;
    record.status = Status::ok;
    record.sequence = sequence;
    record.path = path;
    record.end = end_ms;
    return limit.passes({encode(record), &process});
  }

  ProcessReport process = [] {
    ProcessReport report;
    report.clock.ns_per_tick = 1e6;
    return report;
  }();
  RateLimit limit{10.0};
};

TEST_F(RateLimitTest, LetsSoManyASecondPass) {
  int passed = 0;
  limit.begin_view();
  for (std::uint64_t i = 1; i <= 10'000; ++i) passed += passes(i, i, 1) ? 1 : 0;  // for 10 seconds
  EXPECT_GE(passed, 99);
  EXPECT_LE(passed, 101);
}

TEST_F(RateLimitTest, HoldsTwoTokensAfterSilence) {
  EXPECT_EQ(view(1, {1000, 1000, 1000}), "ynn");
  EXPECT_EQ(view(4, {90'000, 90'000, 90'000}), "yyn");
}

TEST_F(RateLimitTest, GoesByTheTimesOfTheEventsNotOfTheViews) {
  EXPECT_EQ(view(1, {1000}), "y");
  EXPECT_EQ(view(2, {1050}), "n");
  EXPECT_EQ(view(3, {1100, 1200}), "yy");
}

TEST_F(RateLimitTest, EachTraceElementHasItsOwn) {
  EXPECT_EQ(view(1, {1000, 1000}, 1), "yn");
  EXPECT_EQ(view(1, {1000, 1000}, 2), "yn");
}

TEST_F(RateLimitTest, EventsThatComeAgainAreJudgedAsBefore) {
  EXPECT_EQ(view(1, {1000, 1010}), "yn");
  EXPECT_EQ(view(3, {1100, 1110, 1120}), "ynn");
  EXPECT_EQ(view(3, {1100, 1110, 1120, 1200}), "ynny");  // the view before did not arrive
  EXPECT_EQ(view(3, {1100, 1110, 1120, 1200, 1210}), "ynnyn");
}

TEST_F(RateLimitTest, TheNewestEventPassesForAsLongAsItIsTheNewest) {
  EXPECT_EQ(view(1, {1000}), "y");
  for (int pull = 0; pull < 3; ++pull) EXPECT_EQ(view(1, {1000}), "y");
  EXPECT_EQ(view(2, {1001}), "n");
  EXPECT_EQ(view(2, {1001}), "n");
}

TEST_F(RateLimitTest, AProcessThatStartedAnewGoesOnWithTheSameBucket) {
  EXPECT_EQ(view(50, {1000}), "y");
  EXPECT_EQ(view(51, {1001}), "n");
  EXPECT_EQ(view(1, {1050, 1100, 1110}), "nyn");
  EXPECT_EQ(view(1, {1050, 1100, 1110}), "nyn");
}

TEST_F(RateLimitTest, OperationsInFlightPass) {
  const ObservedEvent event{encode(EventRecord{}), &process};
  limit.begin_view();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.passes(event));
}

TEST_F(RateLimitTest, WithoutItsProcessAnEventHasNoTimeAndDoesNotPass) {
  EventRecord record;
  record.end = 1000;
  const ObservedEvent event{encode(record)};
  limit.begin_view();
  EXPECT_FALSE(limit.passes(event));
}

}  // namespace
}  // namespace eventspace
