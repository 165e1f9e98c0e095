#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/error_text.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::event;

/// Two processes, whose clocks tick every 1 and 10 nanoseconds; the first one records threads 0 to 9.
class FilterTest : public testing::Test {
 protected:
  FilterTest() {
    report(0, 1.0, 10'000);
    report(1, 10.0, 2'000);
  }
  void report(std::uint32_t number, double ns_per_tick, std::uint64_t now) {
    ProcessReport process;
    process.process = number;
    process.clock.ns_per_tick = ns_per_tick;
    process.now_ticks = now;
    view.processes.push_back(process);
  }
  void make(Parameters given) {
    const ScopeWrapperInfo* const info = find_scope_wrapper("filter");
    filter = info->make(complete_parameters(info->parameters, std::move(given), "filter"), names);
  }
  std::string after_pull(std::vector<TraceTuple> records) {
    view.records = std::move(records);
    filter->apply(view);
    return test::told(view);
  }
  std::string after(Parameters given, std::vector<TraceTuple> records) {
    make(std::move(given));
    return after_pull(std::move(records));
  }

  test::PlainNames names;
  View view;
  std::unique_ptr<ViewOperator> filter;
};

TEST_F(FilterTest, OnlyEventsForWhichTheExpressionIsTruePass) {
  EXPECT_EQ(after({{"where", "verb == 'take' and thread matches 't[2-3]' or in_flight"}},
                  {event(1, 1, 2, 2, Verb::take), event(2, 1, 2, 2), event(3, 1, 2, 9, Verb::take),
                   event(4, 9, 0, 9)}),
            "1 4*");
  EXPECT_EQ(view.loss.filtered, 2u);
}

TEST_F(FilterTest, TimesAreInTheClockOfTheProcessThatRecorded) {
  const std::vector<TraceTuple> both{event(1, 100, 200, 1), event(2, 100, 200, 11)};  // 100ns and 1us
  EXPECT_EQ(after({{"longer_than", 500ns}}, both), "2");
  EXPECT_EQ(after({{"where", "duration > 500ns"}}, both), "2");
  EXPECT_EQ(after({{"where", "process == 'p0'"}}, both), "1");
}

TEST_F(FilterTest, OfTwoRunsOfAProcessTheClockIsTheOneThatTheRecordBeganAfter) {
  view.processes.clear();
  report(0, 100.0, 10'000);
  view.processes.back().clock.ticks = 5000;
  report(0, 1.0, 10'000);
  EXPECT_EQ(after({{"where", "duration > 1us"}}, {event(1, 100, 200), event(2, 6000, 6100)}), "2");
}

TEST_F(FilterTest, AWindowEndsAtThePull) {
  EXPECT_EQ(
      after({{"window", 1us}}, {event(1, 1, 8'999), event(2, 1, 9'000), event(3, 1, 10'000), event(4, 1, 0),
                                event(5, 1, 10'020) /* just after the clock was read */}),
      "2 3 4* 5");
  EXPECT_EQ(after({{"window", 1us}}, {event(1, 1, 1'899, 11), event(2, 1, 1'900, 11)}), "2");
  EXPECT_EQ(view.loss.filtered, 2u);
}

TEST_F(FilterTest, OfAnUnknownProcessNothingMeetsAConditionOnTime) {
  const std::vector<TraceTuple> unknown{event(1, 1, 9'999, 21), event(2, 1, 0, 21)};
  EXPECT_EQ(after({{"window", 1h}}, unknown), "2*");
  EXPECT_EQ(after({{"longer_than", 0ns}}, unknown), "2*");
  EXPECT_EQ(after({{"rate", 1000.0}}, unknown), "2*");
  EXPECT_EQ(after({{"where", "duration >= 0s"}}, unknown), "");
}

TEST_F(FilterTest, EveryNthIsTheSameInEveryScopeAndPull) {
  const auto events = [] {
    return std::vector{event(8, 1, 2), event(9, 2, 3), event(10, 3, 4), event(3, 1, 2, 2), event(6, 1, 2, 2)};
  };
  EXPECT_EQ(after({{"every", std::int64_t{3}}}, events()), "9 3 6");
  EXPECT_EQ(after_pull(events()), "9 3 6");
  EXPECT_EQ(view.loss.filtered, 4u);
}

TEST_F(FilterTest, ARateIsThatOfEachTraceElementOverPulls) {
  make({{"rate", 1e6}});  // a token each 1000ns; holding 100,001 of them, the first pull has one only
  EXPECT_EQ(after_pull({event(1, 1, 1'000), event(2, 1, 1'500), event(1, 1, 1'000, 2)}), "1 1");
  EXPECT_EQ(after_pull({event(3, 1, 1'900), event(4, 1, 2'000), event(2, 1, 9'000, 2)}), "4 2");
  EXPECT_EQ(view.loss.filtered, 2u);
}

TEST_F(FilterTest, OfAViewThatIsReadAgainTheRatePassesTheSameEvents) {
  const auto events = [] { return std::vector{event(1, 1, 1'000), event(2, 1, 1'500)}; };
  make({{"rate", 1e6}});
  EXPECT_EQ(after_pull(events()), "1");
  EXPECT_EQ(after_pull(events()), "1");
}

TEST_F(FilterTest, TheRateCountsOnlyEventsThatMeetTheOtherConditions) {
  EXPECT_EQ(after({{"rate", 1.0}, {"verbs", std::vector<std::string>{"take"}}},
                  {event(1, 1, 2), event(2, 1, 3, 1, Verb::take), event(3, 1, 4, 1, Verb::take)}),
            "2");
}

TEST_F(FilterTest, WrongParametersAreRefused) {
  const auto refusal = [&](Parameters given) -> std::string {
    return test::error_text<ConfigurationError>([&] { make(std::move(given)); });
  };
  EXPECT_EQ(
      refusal({{"where", "verb == 3"}}),
      "filter: 'where', column 6: 'verb' is text and '3' is a number: '==' compares values of one type");
  EXPECT_EQ(refusal({{"every", std::int64_t{0}}}),
            "filter: found '0' for 'every'; expected an integer at least 1");
  EXPECT_EQ(refusal({{"rate", 0.0}}),
            "filter: found '0' for 'rate'; expected a number from 0.001 to 1000000000");
  EXPECT_EQ(refusal({{"window", std::string("soon")}}),
            "filter: found 'soon' for 'window'; expected a duration");
}

}  // namespace
}  // namespace eventspace
