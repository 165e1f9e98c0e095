#include "monitors/efficiency/unit_times.h"

#include <gmock/gmock.h>

namespace eventspace::efficiency {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(UnitTimes, AUnitIsUsefulWhenItIsObservedAndNotInACall) {
  UnitTimes times;
  times.begin(1, 100);
  times.add_call(1, 50, 120);  // had begun before
  times.add_call(1, 150, 160);
  times.extend(1, 200);
  const auto units = times.units();
  ASSERT_THAT(units, SizeIs(1));
  EXPECT_EQ(units[0].length(), 100);
  EXPECT_EQ(units[0].in_calls_ns, 30);
  EXPECT_EQ(units[0].useful(), 70);
}

TEST(UnitTimes, CallsWithinCallsCountOnce) {
  UnitTimes times;
  times.begin(1, 0);
  times.add_call(1, 10, 50);
  times.add_call(1, 20, 40);
  times.add_call(1, 45, 60);
  times.extend(1, 100);
  EXPECT_EQ(times.units().at(0).in_calls_ns, 50);
}

TEST(UnitTimes, SpansCutCallsAtTheirBounds) {
  UnitTimes times(nanoseconds(100), 1000);
  times.begin(7, 950);
  times.add_call(7, 980, 1120);
  times.extend(7, 1300);
  const auto spans = times.spans();
  ASSERT_THAT(spans, SizeIs(4));
  EXPECT_EQ(spans[0].number, -1);
  EXPECT_EQ(spans[0].parts.at(0).length, 50);
  EXPECT_EQ(spans[0].parts.at(0).useful, 30);
  EXPECT_EQ(spans[1].parts.at(0).useful, 0);
  EXPECT_EQ(spans[2].parts.at(0).useful, 80);
  EXPECT_EQ(spans[3].parts.at(0).useful, 100) << "a span without an event is useful";
}

TEST(UnitTimes, AnIterationIsTheTimeFromTheMarkBefore) {
  UnitTimes times;
  times.use(
      [](std::uint32_t, std::int64_t from, std::int64_t to) { return static_cast<double>(to - from) / 2; });
  times.begin(1, 0);
  times.begin(2, 0);
  times.add_mark(1, 100, 4);
  times.add_call(1, 120, 150);
  times.add_mark(1, 200, 5);
  times.add_mark(2, 90, 4);
  times.add_mark(2, 170, 5);
  const auto iterations = times.iterations();
  ASSERT_THAT(iterations, SizeIs(1)) << "the begin of iteration 4 is not known";
  EXPECT_EQ(iterations[0].number, 5);
  const IntervalTimes interval = interval_of(iterations[0]);
  EXPECT_EQ(interval.length, 100);
  EXPECT_THAT(interval.useful, ElementsAre(70, 80));
  EXPECT_EQ(interval.ideal, (Range{50, 50}));
}

TEST(UnitTimes, WithoutIdealTimesTheIntervalIsBounded) {
  EXPECT_EQ(interval_of({.number = 1, .parts = {{1, 30, 20}, {2, 40, 10}}}).ideal, (Range{0, 40}));
}

TEST(UnitTimes, AnIterationIsBoundedIfAPartOfItWasNotSimulated) {
  UnitTimes times(nanoseconds(100));
  times.use([](std::uint32_t, std::int64_t from, std::int64_t to) {
    return to > 250 ? std::nullopt : std::optional(static_cast<double>(to - from) / 2);
  });
  times.begin(1, 0);
  for (const std::int64_t at : {100, 200, 300, 400}) times.add_mark(1, at, at == 200 ? 1 : 2);
  times.add_mark(1, 450, 1);
  const auto iterations = times.iterations();
  ASSERT_THAT(iterations, SizeIs(2));
  EXPECT_EQ(iterations[0].parts.at(0).ideal, std::nullopt) << "the second passage of 1 was not simulated";
  EXPECT_EQ(interval_of(iterations[1]).ideal, (Range{0, 200}));
  EXPECT_EQ(times.spans().at(0).parts.at(0).ideal, 50);
  EXPECT_EQ(times.spans().at(2).parts.at(0).ideal, std::nullopt);
}

TEST(UnitTimes, ForgottenIdealTimesAreOfNoPart) {
  UnitTimes times(nanoseconds(100));
  times.use([](std::uint32_t, std::int64_t, std::int64_t) { return 1.0; });
  times.begin(1, 0);
  times.add_mark(1, 100, 1);
  times.add_mark(1, 200, 2);
  times.forget_ideal();
  EXPECT_EQ(times.iterations().at(0).parts.at(0).ideal, std::nullopt);
  EXPECT_EQ(times.spans().at(0).parts.at(0).ideal, std::nullopt);
}

TEST(UnitTimes, ExtremeTimesDoNotOverflow) {
  UnitTimes times(nanoseconds::max(), -max_time_ns);
  times.begin(1, -max_time_ns);
  times.add_call(1, -max_time_ns, max_time_ns);
  EXPECT_EQ(times.units().at(0).length(), 2 * max_time_ns);
  EXPECT_EQ(times.units().at(0).useful(), 0);
  for (const auto& cell : times.spans()) EXPECT_EQ(cell.parts.at(0).useful, 0);
}

TEST(UnitTimes, CallsOfUnknownUnitsAreCounted) {
  UnitTimes times;
  times.add_call(3, 1, 2);
  times.add_mark(3, 1, 2);
  EXPECT_THAT(times.units(), IsEmpty());
  EXPECT_EQ(times.left_out(), 2U);
}

}  // namespace
}  // namespace eventspace::efficiency
