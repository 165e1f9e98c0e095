#include <gtest/gtest.h>

#include <random>

#include <eventspace/error.h>
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

using test::event;

/// Applies a wrapper to five events of threads 1 and 2, the last two in flight.
class OperatorTest : public testing::Test {
 protected:
  OperatorTest() {
    view.records = {event(1, 100, 150, 1), event(2, 110, 210, 2, Verb::take), event(3, 160, 180, 1),
                    event(4, 190, 0, 1), event(5, 220, 0, 2, Verb::take)};
  }
  std::string after(const std::string& wrapper, Parameters given = {}) {
    const ScopeWrapperInfo* const info = find_scope_wrapper(wrapper);
    info->make(complete_parameters(info->parameters, std::move(given), wrapper), names)->apply(view);
    return test::told(view);
  }
  static Parameters with(const std::string& name, ParameterValue value) { return {{name, std::move(value)}}; }

  test::PlainNames names;
  View view;
};

TEST_F(OperatorTest, GatherLeavesAllAsItIs) { EXPECT_EQ(after("gather"), "1 2 3 4* 5*"); }

TEST_F(OperatorTest, ReduceKeepsOneFinishedEventAndOneInFlight) {
  EXPECT_EQ(after("reduce"), "2 5*");
  EXPECT_EQ(view.loss.reduced, 3u);
}
TEST_F(OperatorTest, ReduceKeepsTheEarliest) { EXPECT_EQ(after("reduce", with("keep", "earliest")), "1 4*"); }
TEST_F(OperatorTest, ReduceKeepsTheLongest) { EXPECT_EQ(after("reduce", with("keep", "longest")), "2 4*"); }
TEST_F(OperatorTest, ReduceKeepsTheShortest) { EXPECT_EQ(after("reduce", with("keep", "shortest")), "3 5*"); }

TEST_F(OperatorTest, ReduceKeepsSoManyTheBestFirst) {
  EXPECT_EQ(after("reduce", {{"keep", "longest"}, {"most", std::int64_t{2}}}), "2 1 4* 5*");
  EXPECT_EQ(view.loss.reduced, 1u);
}
TEST_F(OperatorTest, ReduceKeepsAllWhenTheyAreFewer) {
  EXPECT_EQ(after("reduce", with("most", std::int64_t{9})), "2 3 1 5* 4*");
  EXPECT_EQ(view.loss.reduced, 0u);
}
TEST_F(OperatorTest, ReduceKeepsTheFirstOfEqualEvents) {
  view.records = {event(1, 100, 150, 1), event(2, 100, 150, 2), event(3, 100, 150, 3)};
  EXPECT_EQ(after("reduce", with("most", std::int64_t{2})), "1 2");
}

TEST_F(OperatorTest, NothingReducesToNothing) {
  view.clear();
  EXPECT_EQ(after("reduce"), "");
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(OperatorTest, SortOrdersByEndAndPutsThoseInFlightLast) { EXPECT_EQ(after("sort"), "1 3 2 4* 5*"); }
TEST_F(OperatorTest, SortOrdersByStart) { EXPECT_EQ(after("sort", with("by", "start")), "1 2 3 4* 5*"); }
TEST_F(OperatorTest, SortOrdersByDuration) {
  EXPECT_EQ(after("sort", with("by", "duration")), "3 1 2 4* 5*");
}
TEST_F(OperatorTest, SortByThreadKeepsTheOrderOfEqualOnes) {
  EXPECT_EQ(after("sort", with("by", "thread")), "1 3 4* 2 5*");
}
TEST_F(OperatorTest, SortByThreadKeepsTheOrderOfEqualOnesWhenItDescends) {
  EXPECT_EQ(after("sort", {{"by", "thread"}, {"descending", true}}), "2 5* 1 3 4*");
}
TEST_F(OperatorTest, SortDescendsAndStillPutsThoseInFlightLast) {
  EXPECT_EQ(after("sort", with("descending", true)), "2 3 1 4* 5*");
}

TEST_F(OperatorTest, MergePutsTheEventsOfItsChildrenInTheOrderOfTime) {
  view.records = {event(1, 100, 150, 1), event(3, 160, 180, 1), event(4, 190, 0, 1), event(2, 110, 170, 2),
                  event(5, 175, 200, 2)};
  EXPECT_EQ(after("merge"), "1 2 3 5 4*");
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_TRUE(find_scope_wrapper("merge")->combines);
}
TEST_F(OperatorTest, MergeByStartPutsThoseInFlightWhereTheyBegan) {
  view.records = {event(1, 100, 150, 1), event(4, 160, 0, 1), event(2, 110, 170, 2), event(5, 175, 200, 2)};
  EXPECT_EQ(after("merge", with("by", "start")), "1 2 4* 5");
}

TEST_F(OperatorTest, FilterWithoutConditionsLetsAllPass) { EXPECT_EQ(after("filter"), "1 2 3 4* 5*"); }
TEST_F(OperatorTest, FilterLetsVerbsPass) {
  EXPECT_EQ(after("filter", with("verbs", std::vector<std::string>{"take"})), "2 5*");
  EXPECT_EQ(view.loss.filtered, 3u);
}
TEST_F(OperatorTest, FilterLetsThreadsAndPathsPassByGlob) {
  EXPECT_EQ(after("filter", with("threads", "t[1-1]")), "1 3 4*");
  EXPECT_EQ(after("filter", with("paths", "nothing")), "");
  EXPECT_EQ(view.loss.filtered, 5u);
}
TEST_F(OperatorTest, FilterGoesByDurationInTheClockOfTheProcess) {
  ProcessReport process;
  process.clock.ns_per_tick = 10.0;
  view.processes.push_back(process);
  EXPECT_EQ(after("filter", with("longer_than", std::chrono::nanoseconds(500))), "2 4* 5*");
}
TEST_F(OperatorTest, EveryConditionMustBeMet) {
  EXPECT_EQ(after("filter", {{"verbs", std::vector<std::string>{"take"}}, {"threads", "t1"}}), "");
}

TEST_F(OperatorTest, WrongParametersAreRefused) {
  EXPECT_THROW(after("reduce", with("keep", "best")), ConfigurationError);
  EXPECT_THROW(after("filter", with("threads", "t[")), ConfigurationError);
  EXPECT_THROW(after("filter", with("verbs", std::vector<std::string>{"dance"})), ConfigurationError);
  EXPECT_EQ(find_scope_wrapper("juggle"), nullptr);
  EXPECT_THROW(ScopeWrapperRegistry::instance().add(*find_scope_wrapper("sort")), ConfigurationError);
}

// A wrapper with `in_parts` has the same result if it is applied to groups first, and then to the results.
class InParts : public testing::TestWithParam<std::pair<std::string, Parameters>> {
 protected:
  View after(const Parameters& given, View view) {
    const ScopeWrapperInfo& info = *find_scope_wrapper(GetParam().first);
    info.make(given, names_)->apply(view);
    return view;
  }

  /// Few different ticks, so that some events are equal; some are in flight.
  View some_events(std::mt19937& random, std::size_t count) {
    std::uniform_int_distribution<std::uint64_t> tick(1, 12);
    View view;
    for (std::size_t i = 0; i < count; ++i) {
      const auto start = tick(random);
      const auto took = tick(random);
      view.records.push_back(
          event(++last_, start, took > 9 ? 0 : start + took, static_cast<std::uint32_t>(1 + took % 3)));
    }
    return view;
  }

 private:
  test::PlainNames names_;
  std::uint64_t last_{0};
};

TEST_P(InParts, MakesTheSame) {
  const ScopeWrapperInfo& info = *find_scope_wrapper(GetParam().first);
  ASSERT_TRUE(info.in_parts);
  const Parameters given = complete_parameters(info.parameters, GetParam().second, info.name);
  const Parameters of_parts = info.in_parts(given);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    View all;
    View put_together;
    for (auto parts = random() % 4 + 1; parts > 0; --parts) {
      const View part = some_events(random, random() % 6);
      all.append(View(part));
      put_together.append(after(of_parts, part));
    }
    const View once = after(given, std::move(all));
    const View twice = after(given, std::move(put_together));
    ASSERT_EQ(test::told(twice), test::told(once));
    ASSERT_EQ(twice.loss, once.loss);
    ASSERT_EQ(twice.aggregates, once.aggregates);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Wrappers, InParts,
    testing::Values(std::pair("gather", Parameters{}), std::pair("merge", Parameters{}),
                    std::pair("merge", Parameters{{"by", "start"}}), std::pair("reduce", Parameters{}),
                    std::pair("reduce", Parameters{{"keep", "shortest"}, {"most", std::int64_t{3}}}),
                    std::pair("aggregate", Parameters{{"of", "sequence"}, {"as", "sum"}}),
                    std::pair("aggregate", Parameters{{"of", "sequence"},
                                                      {"as", "max"},
                                                      {"by", "thread"},
                                                      {"most", std::int64_t{2}}})),
    [](const auto& given) { return given.param.first + std::to_string(given.index); });

TEST(InPartsOnly, OthersActOnce) {
  for (const char* const name : {"filter", "sort", "convert"})
    EXPECT_FALSE(find_scope_wrapper(name)->in_parts);
}

}  // namespace
}  // namespace eventspace
