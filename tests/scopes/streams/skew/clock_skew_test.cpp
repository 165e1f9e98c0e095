#include <eventspace/stream_network.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>

#include <eventspace/streams.h>
#include "scopes/streams/filters/clock_skew_filter.h"
#include "tests/scopes/streams/network_talk.h"

// Measurements of clocks with known offsets.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::Tool;

/// How far the clock of a process with children is ahead of the time of day.
nanoseconds ahead_of_process(std::uint32_t process) { return process * 7h - 3h + process * 123us; }
/// How far the clock of a back-end is ahead.
nanoseconds ahead_of_rank(RankSet::Rank rank) { return 11min - rank * 2h + rank * 45us; }

std::int64_t clock_of_process(std::uint32_t process) {
  return skew::time_of_day() + ahead_of_process(process).count();
}

class ClockSkewTest : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    FilterRegistry::instance().add(clock_skew_filter("shifted", clock_of_process));
  }

  static ClockReading clock_of_rank(RankSet::Rank rank) {
    return [rank] { return skew::time_of_day() + ahead_of_rank(rank).count(); };
  }
  static void answer(BackEnd& back_end, const Received& received) {
    EXPECT_TRUE(answer_clock_skew(back_end, received, clock_of_rank(back_end.rank())));
  }
  static void expect_true_skews(const ClockSkews& skews, std::size_t back_ends) {
    EXPECT_EQ(skews.size(), back_ends);
    for (const auto& [rank, skew] : skews) {
      const nanoseconds truth = ahead_of_rank(rank) - ahead_of_process(0);
      EXPECT_LE(std::chrono::abs(skew.ahead - truth), skew.bound) << "of rank " << rank;
      EXPECT_LT(skew.bound, 1min) << "far below the differences";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Trees, ClockSkewTest, testing::Values("flat:3", "2x2", "2x2x2", "1x1x3", "3@27"));

TEST_P(ClockSkewTest, TheSumsOnTheWayAreTheDifferencesFromTheFrontEndWithinTheirBounds) {
  Tool tool(GetParam());
  tool.attach(answer);
  const auto skews = measure_clock_skew(tool.front_end, {.rounds = 10, .filter = "shifted", .time_out = 60s},
                                        Deadline::after(60s));
  expect_true_skews(skews, tool.front_end.topology().back_ends());
}

TEST_P(ClockSkewTest, TheDirectSchemeFindsTheSameWithinItsBounds) {
  Tool tool(GetParam());
  tool.attach(answer);
  const auto skews = measure_clock_skew_directly(tool.front_end, {.rounds = 10, .time_out = 60s},
                                                 Deadline::after(60s), [] { return clock_of_process(0); });
  expect_true_skews(skews, tool.front_end.topology().back_ends());
}

TEST(ClockSkewOfTheDayTest, OnOneMachineItIsNothingWithinTheBound) {
  Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    EXPECT_TRUE(answer_clock_skew(back_end, received));
  });
  const auto skews = measure_clock_skew(tool.front_end, {.time_out = 60s}, Deadline::after(60s));
  EXPECT_EQ(skews.size(), 4u);
  for (const auto& [rank, skew] : skews) EXPECT_LE(std::chrono::abs(skew.ahead), skew.bound);
}

TEST(ClockSkewOfTheDayTest, ABackEndThatIsSilentIsLeftOut) {
  Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    if (back_end.rank() == 2) return;
    EXPECT_TRUE(answer_clock_skew(back_end, received));
  });
  // A busy machine may make other back-ends late in some rounds, but not in all.
  const auto skews =
      measure_clock_skew(tool.front_end, {.rounds = 8, .time_out = 300ms}, Deadline::after(60s));
  EXPECT_FALSE(skews.contains(2));
  EXPECT_FALSE(skews.empty());
}

TEST(ClockSkewOfTheDayTest, OtherPacketsAreLeftToTheUser) {
  Tool tool("flat:1");
  std::atomic<int> others{0};
  tool.attach([&](BackEnd& back_end, const Received& received) {
    if (!answer_clock_skew(back_end, received)) ++others;
  });
  const std::uint32_t stream = tool.front_end.open({});
  tool.send(stream, 5);
  EXPECT_TRUE(tool.front_end.send(stream, Format<std::string_view, std::uint8_t>::make(0, "clock_skew", 9),
                                  Deadline::after(60s)));
  EXPECT_TRUE(tool.front_end.send(stream, {.body = {}}, Deadline::after(60s)));
  for (const Deadline end = Deadline::after(60s); others < 3 && !end.passed();)
    tool.front_end.serve(Deadline::after(5ms));
  EXPECT_EQ(others, 3);
}

// --- the filter alone -----------------------------------------------------------------------------------

TEST(ClockSkewFilterTest, AnswersThatMakeNoSenseAreRefused) {
  const FilterInfo info = skew::filter("f", [](const FilterPlace&) { return std::int64_t{1000}; });
  const FilterPlace up;
  FilterPlace down = up;
  down.down = true;
  const auto ask = info.make({}, down);
  const auto hear = info.make({}, up);
  std::vector<Packet> out;
  Wave wave{5, {{0, skew::Times::make(0, 990, 995), std::chrono::steady_clock::now()}}, {}};
  EXPECT_THROW(hear->apply(wave, out), PacketError) << "nobody has asked";
  ask->apply({5, {{0, skew::Question::make(0, skew::name, std::uint8_t{1})}}, {}}, out);
  ASSERT_EQ(out.size(), 1u) << "the question goes on";
  out.clear();
  hear->apply(wave, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(PacketView(out[0]).number<std::int64_t>(0), 1000) << "when this process got the question";
  wave.packets[0].packet = skew::Times::make(0, std::numeric_limits<std::int64_t>::min(), 5);
  EXPECT_THROW(hear->apply(wave, out), PacketError);
  const std::vector<std::uint32_t> ranks{1, 2};
  const std::vector<std::int64_t> one{1};
  wave.packets[0].packet = skew::Sums::make(0, ranks, one, one);
  EXPECT_THROW(hear->apply(wave, out), PacketError);
}

TEST(ClockSkewFilterTest, WhatIsBelowAChildThatWasNotMeasuredIsLeftOut) {
  const FilterInfo info = skew::filter("f", [](const FilterPlace&) { return std::int64_t{0}; });
  const auto filter = info.make({}, {});
  const std::vector<std::uint32_t> ranks{3};
  const std::vector<std::int64_t> zero{0};
  std::vector<Packet> out;
  filter->apply({0, {{0, skew::Sums::make(0, ranks, zero, zero)}}, {}}, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(PacketView(out[0]).count(0), 0u);
}

}  // namespace
}  // namespace eventspace::streams
