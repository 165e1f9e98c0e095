#include <gmock/gmock.h>

#include <sstream>

#include <eventspace/error.h>
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

using test::event;

/// Applies the wrapper "aggregate" to six events. Threads 1 and 2 are in process p0, whose clock ticks every
/// two nanoseconds; thread 11 is in p1, whose clock ticks every ten. The last event is in flight.
class AggregateWrapperTest : public testing::Test {
 protected:
  AggregateWrapperTest() {
    report(0, 2.0);
    report(1, 10.0);
    view_.records = {event(1, 100, 150, 1),  event(2, 200, 220, 2, Verb::take),  event(3, 300, 330, 1),
                     event(4, 100, 101, 11), event(5, 200, 204, 11, Verb::take), event(6, 400, 0, 1)};
  }

  static std::unique_ptr<ViewOperator> aggregate(Parameters given, const PlanNames& names) {
    const ScopeWrapperInfo* const info = find_scope_wrapper("aggregate");
    return info->make(complete_parameters(info->parameters, std::move(given), "aggregate"), names);
  }
  void apply(Parameters given) { aggregate(std::move(given), names_)->apply(view_); }

  /// "t1:80 t2:40": groups and values.
  [[nodiscard]] std::string told() const {
    std::ostringstream text;
    for (const Aggregate& aggregate : view_.aggregates)
      text << (text.tellp() > 0 ? " " : "") << aggregate.group << ':' << aggregate.value();
    return text.str();
  }
  std::string after(Parameters given) {
    apply(std::move(given));
    return told();
  }

  test::PlainNames names_;
  View view_;

 private:
  void report(std::uint32_t process, double ns_per_tick) {
    ProcessReport report;
    report.process = process;
    report.clock.ns_per_tick = ns_per_tick;
    view_.processes.push_back(report);
  }
};

TEST_F(AggregateWrapperTest, MakesTheMeanDurationOfAllThatHaveOne) {
  EXPECT_EQ(after({}), ":50");  // 100, 40, 60, 10 and 40 ns
  ASSERT_EQ(view_.aggregates.size(), 1u);
  EXPECT_EQ(view_.aggregates[0].name, "duration");
  EXPECT_EQ(view_.aggregates[0].unit, "ns");
  EXPECT_EQ(view_.aggregates[0].count, 5u);
}

TEST_F(AggregateWrapperTest, EventsThatBecameNumbersAreCounted) {
  apply({});
  EXPECT_TRUE(view_.records.empty());
  EXPECT_EQ(view_.loss.reduced, 6u);
}

TEST_F(AggregateWrapperTest, MakesEachKindOfAggregate) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"count", ":5"}, {"sum", ":250"}, {"mean", ":50"}, {"min", ":10"}, {"max", ":100"}};
  const View before = view_;
  for (const auto& [reduction, value] : cases) {
    view_ = before;
    EXPECT_EQ(after({{"as", reduction}}), value) << reduction;
  }
  view_ = before;
  apply({{"as", "histogram"}});
  EXPECT_EQ(view_.aggregates[0].histogram.count(), 5u);
}

TEST_F(AggregateWrapperTest, GroupsByEverythingThatHasAName) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"thread", "t1:160 t11:50 t2:40"},
      {"path", "path1:160 path11:50 path2:40"},
      {"process", "p0:200 p1:50"},
      {"node", "n1:250"},
      {"verb", "take:80 write:170"},
      {"status", "ok:250"},
      {"probe", "-:250"}};  // operations do not have it
  const View before = view_;
  for (const auto& [by, groups] : cases) {
    view_ = before;
    EXPECT_EQ(after({{"as", "sum"}, {"by", by}}), groups) << by;
  }
}

TEST_F(AggregateWrapperTest, TakesAnyNumberOfAnEvent) {
  EXPECT_EQ(after({{"of", "sequence * 2"}, {"as", "max"}, {"name", "twice"}}), ":12");
  EXPECT_EQ(view_.aggregates[0].name, "twice");
  EXPECT_EQ(view_.aggregates[0].unit, "");
}

TEST_F(AggregateWrapperTest, EventsWithoutTheNumberAreLeftOut) {
  EXPECT_EQ(after({{"of", "1 / (sequence - 2)"}, {"as", "count"}}), ":5");
}

TEST_F(AggregateWrapperTest, TheGreatestAreKept) {
  EXPECT_EQ(after({{"as", "sum"}, {"by", "thread"}, {"most", std::int64_t{2}}}), "t1:160 t11:50");
}

TEST_F(AggregateWrapperTest, OfEqualOnesSoManyAreKept) {
  EXPECT_EQ(after({{"of", "1"}, {"as", "max"}, {"by", "thread"}, {"most", std::int64_t{2}}}), "t1:1 t11:1");
}

TEST_F(AggregateWrapperTest, LevelsMakeTheSameAsOneWouldForAnyTree) {
  const View all = view_;
  for (const std::string reduction : {"count", "sum", "mean", "min", "max", "histogram"}) {
    const Parameters given{{"as", reduction}, {"by", "verb"}};
    view_ = all;
    apply(given);
    const std::vector<Aggregate> flat = view_.aggregates;
    for (std::size_t cut = 0; cut <= all.records.size(); ++cut) {
      View children[2] = {all, all};
      children[0].records.whole().resize(cut);
      auto& rest = children[1].records.whole();
      rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(cut));
      for (View& child : children) aggregate(given, names_)->apply(child);
      children[0].append(std::move(children[1]));
      aggregate(given, names_)->apply(children[0]);
      EXPECT_EQ(children[0].aggregates, flat) << reduction << " cut at " << cut;
    }
  }
}

TEST_F(AggregateWrapperTest, AnExpressionThatIsNotANumberIsRefusedWithItsColumn) {
  const ScopeWrapperInfo* const info = find_scope_wrapper("aggregate");
  const auto faults = check_parameters(info->parameters, {{"of", "path"}});
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].parameter, "of");
  EXPECT_THAT(faults[0].text, testing::HasSubstr("column 1"));
  EXPECT_THAT(faults[0].text, testing::HasSubstr("'path' is text"));
}

}  // namespace
}  // namespace eventspace
