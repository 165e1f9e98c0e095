#include "scopes/metrics/history/event_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::metrics {
namespace {

using test::ObservedRun;
using testing::ElementsAre;
using testing::IsEmpty;

class EventClassesTest : public testing::Test {
 protected:
  /// Adds a counter of the built-in metric with this name.
  EventCounter& count(std::string_view name, const std::string& condition) {
    Counter counter;
    counter.built_in = built_in_metric_named(name).value();
    counter.condition = condition;
    return counters.emplace_back(counter, run.names);
  }
  const TraceTuple& written() {
    run.write(0, 1, 2, 100);
    view = run.view(10);
    return view.records.back();
  }
  const TraceTuple& passed() {
    run.pass(0, 3, "loop");
    view = run.view(10);
    return view.records.back();
  }

  ObservedRun run;
  View view;
  std::vector<EventCounter> counters;
};

TEST_F(EventClassesTest, AClassHasTheCountersWhoseConditionHolds) {
  (void)count("Send_count", "verb == 'write'");
  (void)count("Send_count", "verb == 'read'");
  (void)count("Send_volume", "verb == 'write'");
  EventClasses classes(counters, false);
  EXPECT_THAT(classes.of(written()).counters, ElementsAre(0u, 2u));
  EXPECT_TRUE(classes.of(written()).is_needed);
  EXPECT_TRUE(classes.of(written()).is_plain);
  EXPECT_FALSE(classes.of(passed()).is_needed);
}

TEST_F(EventClassesTest, AConditionOverAFieldIsOfNoClass) {
  (void)count("Send_count", "bytes > 10");
  EventClasses classes(counters, false);
  EXPECT_THAT(classes.of_no_class(), ElementsAre(0u));
  EXPECT_THAT(classes.of(written()).counters, IsEmpty());
  EXPECT_TRUE(classes.of(written()).is_needed);
  EXPECT_FALSE(classes.of(written()).is_plain);
}

TEST_F(EventClassesTest, PassagesAreNeededByCountersAndBySamplers) {
  EXPECT_FALSE(EventClasses(counters, false).of(passed()).is_needed);
  EventClasses classes(counters, true);
  EXPECT_TRUE(classes.of(passed()).is_needed);
  EXPECT_FALSE(classes.of(passed()).is_plain);
}

TEST_F(EventClassesTest, EventsOfCountersByRegionAreTakenOneByOne) {
  count("Send_count", "verb == 'write'").by_region = true;
  EventClasses classes(counters, false);
  EXPECT_TRUE(classes.has_regions());
  EXPECT_TRUE(classes.of(written()).is_needed);
  EXPECT_FALSE(classes.of(written()).is_plain);
  EXPECT_FALSE(classes.summed_up(written()));
}

TEST_F(EventClassesTest, NumbersAndBytesAreSummedUp) {
  (void)count("Send_count", "verb == 'write'");
  (void)count("Send_volume", "verb == 'write'");
  EventClasses classes(counters, false);
  const TraceTuple record = written();
  const auto fields = classes.summed_up(record);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->bytes.of(record), 100u);
  EXPECT_EQ(fields->calls.mask, 0u) << "each record is one call";
}

TEST_F(EventClassesTest, DelaysAreNotSummedUp) {
  (void)count("Send_delay", "verb == 'write'");
  EventClasses classes(counters, false);
  EXPECT_TRUE(classes.of(written()).is_plain);
  EXPECT_FALSE(classes.summed_up(written()));
}

TEST_F(EventClassesTest, TheAmountOfARecordIsThatOfItsEvent) {
  (void)count("Send_count", "verb == 'write'");
  (void)count("Send_volume", "verb == 'write'");
  (void)count("Send_delay", "verb == 'write'");
  EventClasses classes(counters, false);
  const TraceTuple record = written();
  TimedEvents::Event event;
  event.last = &view.records.back();
  event.size = 1;
  event.process = &view.processes.front();
  event.end_ns = ObservedRun::ns(2);
  std::vector<double> amounts;
  for (const EventCounter& counter : counters) {
    amounts.push_back(counter.amount(event, classes.of(record), ObservedRun::ns(0)));
    EXPECT_EQ(counter.amount_of(record, view.processes.front(), classes.of(record)), amounts.back());
  }
  EXPECT_THAT(amounts, ElementsAre(1.0, 100.0, testing::DoubleNear(0.001, 1e-9)));
  EXPECT_NEAR(counters[2].amount(event, classes.of(record), event.end_ns - 1000), 1e-6, 1e-12)
      << "only the time after the start";
}

}  // namespace
}  // namespace eventspace::metrics
