#include <gtest/gtest.h>

#include "scopes/wrappers/convert.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

using test::event;

/// Process 0 counts nanoseconds, and its clock showed 1000 at real time 5000. Process 1 counts ticks of 10
/// ns, and its clock showed 700 at real time 4000. Thread 1 is in process 0, thread 11 in process 1.
class ConvertTest : public testing::Test {
 protected:
  ConvertTest() {
    view.processes.push_back(report(0, {ClockSource::monotonic, 0, 1000, 1000, 5000, 1.0, 0.0}, 2000));
    view.processes.push_back(report(1, {ClockSource::tsc, 0, 700, 50, 4000, 10.0, 2.5}, 900));
  }
  static ProcessReport report(std::uint32_t number, const ClockCalibration& clock, std::uint64_t now) {
    ProcessReport process;
    process.process = number;
    process.clock = clock;
    process.now_ticks = now;
    return process;
  }
  void apply(const std::string& wrapper, Parameters given = {}) {
    const ScopeWrapperInfo* const info = find_scope_wrapper(wrapper);
    info->make(complete_parameters(info->parameters, std::move(given), wrapper), names)->apply(view);
  }
  [[nodiscard]] EventRecord record(std::size_t i) const { return decode(view.records.at(i)); }

  test::PlainNames names;
  View view;
};

TEST_F(ConvertTest, TicksBecomeNanosecondsOfTheReferenceClock) {
  view.records = {event(1, 1100, 1150, 1), event(2, 710, 800, 11)};
  apply("convert");
  EXPECT_EQ(record(0).start, 5100u);
  EXPECT_EQ(record(0).end, 5150u);
  EXPECT_EQ(record(1).start, 4100u);
  EXPECT_EQ(record(1).end, 5000u);
}

TEST_F(ConvertTest, ReportsAreChangedSoThatTimesStayRight) {
  view.records = {event(1, 710, 800, 11)};
  const ClockCalibration before = view.processes[1].clock;
  const auto realtime_before = before.to_realtime_ns(800);
  const auto since_before = before.ns_between(800, view.processes[1].now_ticks);
  apply("convert");
  const ClockCalibration& after = view.processes[1].clock;
  EXPECT_EQ(after.source, ClockSource::realtime);
  EXPECT_EQ(after.error_ppm, 2.5);
  EXPECT_EQ(after.to_realtime_ns(record(0).end), realtime_before);
  EXPECT_EQ(after.ns_between(record(0).end, view.processes[1].now_ticks), since_before);
  EXPECT_EQ(after.ns_between(record(0).start, record(0).end), before.ns_between(710, 800));
}

TEST_F(ConvertTest, ConvertedTwiceIsConvertedOnce) {
  view.records = {event(1, 1100, 1150, 1), event(2, 710, 800, 11)};
  apply("convert");
  const auto once = view.records;
  const auto now = view.processes[1].now_ticks;
  apply("convert");
  EXPECT_EQ(view.records, once);
  EXPECT_EQ(view.processes[1].now_ticks, now);
}

TEST_F(ConvertTest, EventsBeforeTheCalibrationAreConvertedToo) {
  view.records = {event(1, 600, 650, 11)};
  apply("convert");
  EXPECT_EQ(record(0).start, 3000u);
  EXPECT_EQ(record(0).end, 3500u);
}

TEST_F(ConvertTest, AnOperationInFlightStillHasNoEnd) {
  view.records = {event(1, 1100, 0, 1)};
  apply("convert");
  EXPECT_EQ(record(0).start, 5100u);
  EXPECT_EQ(record(0).end, 0u);
  EXPECT_TRUE(record(0).in_flight());
}

TEST_F(ConvertTest, OtherFieldsStayUnchanged) {
  view.records = {event(7, 1100, 1150, 1, Verb::take)};
  EventRecord expected = record(0);
  apply("convert");
  expected.start = 5100;
  expected.end = 5150;
  EXPECT_EQ(record(0), expected);
}

TEST_F(ConvertTest, RecordsWithoutAClockAreDroppedAndCounted) {
  view.records = {event(1, 1100, 1150, 21), event(2, 1100, 1150, 1)};
  apply("convert");
  EXPECT_EQ(test::told(view), "2");
  EXPECT_EQ(view.loss.filtered, 1u);
}

TEST_F(ConvertTest, EventsOfDifferentClocksAreSortedOnlyAfterIt) {
  view.records = {event(1, 1010, 1020, 1), event(2, 1100, 1150, 1), event(3, 710, 790, 11),
                  event(4, 720, 810, 11)};  // ends: 5020, 5150, 4900, 5100
  View raw = view;
  apply("convert");
  apply("sort");
  EXPECT_EQ(test::told(view), "3 1 4 2");
  std::swap(view, raw);
  apply("sort");
  EXPECT_EQ(test::told(view), "3 4 1 2");  // by ticks of unrelated clocks
}

TEST_F(ConvertTest, LaterStagesSeeTheSameDurationsAndAges) {
  const std::vector records{event(1, 1100, 1150, 1), event(2, 710, 800, 11)};  // 50ns and 900ns
  for (const char* where : {"duration == 900ns", "age == 1900ns", "duration != 50ns and age > 1us"}) {
    view.records = records;
    apply("filter", {{"where", std::string(where)}});
    EXPECT_EQ(test::told(view), "2") << where;
  }
  view.records = records;
  apply("convert");
  const auto converted = view.records;
  for (const char* where : {"duration == 900ns", "age == 1900ns", "duration != 50ns and age > 1us"}) {
    view.records = converted;
    apply("filter", {{"where", std::string(where)}});
    EXPECT_EQ(test::told(view), "2") << where;
  }
}

// --- synchronised ----------------------------------------------------------------------------------

/// Process 0 is on this node, whose clock showed 1500 at the pull. Process 1 is on a node whose clock showed
/// 1000 then and is 9'000'000 ns behind this node's clock, with an error of at most 40.
class SynchronisedConvertTest : public ConvertTest {
 protected:
  SynchronisedConvertTest() {
    view.processes[0].now_monotonic_ns = 1500;
    view.processes[1].now_monotonic_ns = 1000;
    view.processes[1].now_error_ns = 5;
    view.processes[1].rate_ppm = 100;
    view.processes[1].rate_error_ppm = 2500;
    view.processes[1].relation = {true, 0, 1000, 9'000'000, 0, 40, 200, 0, 60, ClockRelation::always};
  }
  void synchronise() { apply("convert", {{"clock", std::string("synchronised")}}); }
  /// Start by the local clock.
  [[nodiscard]] std::int64_t start(std::size_t i) const {
    return static_cast<std::int64_t>(record(i).start - synchronised_epoch);
  }
};

TEST_F(SynchronisedConvertTest, TicksBecomeNanosecondsOfTheClockHere) {
  view.records = {event(1, 1100, 1150, 1), event(2, 710, 800, 11)};
  synchronise();
  EXPECT_EQ(start(0), 600);        // 900 before the pull
  EXPECT_EQ(start(1), 8'999'100);  // 1900 before it
  EXPECT_EQ(record(0).end - record(0).start, 50u);
  EXPECT_EQ(record(1).end - record(1).start, 900u);
  EXPECT_EQ(view.processes[1].clock.source, ClockSource::synchronised);
}

TEST_F(SynchronisedConvertTest, TheBoundOfEachRecordStaysTheSame) {
  view.records = {event(1, 710, 800, 11)};
  const BoundedTime before = view.processes[1].here(710);
  synchronise();
  const BoundedTime after = view.processes[1].here(record(0).start);
  EXPECT_EQ(after.ns, before.ns);
  ASSERT_TRUE(before.error_ns && after.error_ns);
  EXPECT_NEAR(static_cast<double>(*after.error_ns), static_cast<double>(*before.error_ns), 3);
  EXPECT_GE(*after.error_ns, 40 + 5);
}

TEST_F(SynchronisedConvertTest, TimesSince1970AndAgesStayRight) {
  view.records = {event(1, 710, 800, 11)};
  const ClockCalibration before = view.processes[1].clock;
  const auto now = view.processes[1].now_ticks;
  synchronise();
  const ProcessReport& process = view.processes[1];
  EXPECT_EQ(process.clock.to_realtime_ns(record(0).end), before.to_realtime_ns(800));
  EXPECT_EQ(process.clock.ns_between(record(0).end, process.now_ticks), before.ns_between(800, now));
  EXPECT_EQ(process.clock.error_ppm, before.error_ppm);
}

TEST_F(SynchronisedConvertTest, TwiceInOnePlaceIsOnce) {
  view.records = {event(1, 1100, 1150, 1), event(2, 710, 800, 11), event(3, 600, 0, 11)};
  synchronise();
  const auto once = view.records;
  synchronise();
  EXPECT_EQ(view.records, once);
}

TEST_F(SynchronisedConvertTest, OnAnotherNodeItGoesOnFromThere) {
  view.records = {event(1, 710, 800, 11)};
  synchronise();
  const ClockRelation hop{true, 0, 0, -500'000, 0, 7, 200, 0, 7, ClockRelation::always};
  view.processes[1].relation = view.processes[1].relation.then(hop);
  synchronise();
  EXPECT_EQ(start(0), 8'499'100);
  EXPECT_GE(*view.processes[1].here(record(0).start).error_ns, 40 + 5 + 7);
}

TEST_F(SynchronisedConvertTest, EventsFromBeforeThisMachineWasBootedComeFirst) {
  view.processes[1].relation.offset_ns = -1'000'000'000;
  view.records = {event(1, 1100, 1150, 1), event(2, 710, 800, 11)};
  synchronise();
  apply("sort");
  EXPECT_EQ(test::told(view), "2 1");
  EXPECT_LT(start(0), 0);
}

TEST_F(SynchronisedConvertTest, RecordsOfClocksThatWereNotComparedAreDroppedAndCounted) {
  view.processes[1].relation = ClockRelation::unknown();
  view.records = {event(1, 1100, 1150, 1), event(2, 710, 800, 11)};
  synchronise();
  EXPECT_EQ(test::told(view), "1");
  EXPECT_EQ(view.loss.filtered, 1u);
  EXPECT_EQ(view.processes[1].clock.source, ClockSource::tsc);
}

TEST_F(SynchronisedConvertTest, FromThereToTheReferenceClockIsRightToo) {
  view.records = {event(1, 710, 800, 11)};
  const auto realtime = view.processes[1].clock.to_realtime_ns(800);
  const auto here = view.processes[1].here(800);
  synchronise();
  apply("convert");
  EXPECT_EQ(record(0).end, static_cast<std::uint64_t>(realtime));
  EXPECT_EQ(view.processes[1].here(record(0).end).ns, here.ns);
  synchronise();
  EXPECT_EQ(static_cast<std::int64_t>(record(0).end - synchronised_epoch), here.ns);
}

TEST_F(ConvertTest, NativeLeavesThingsAsTheyAre) {
  view.records = {event(1, 710, 800, 11)};
  view.sent_in = ByteOrder::big;
  const auto before = view.records;
  apply("convert", {{"clock", std::string("native")}, {"format", std::string("native")}});
  EXPECT_EQ(view.records, before);
  EXPECT_EQ(view.processes[1].clock.source, ClockSource::tsc);
  EXPECT_EQ(view.sent_in, ByteOrder::big);
}

TEST_F(ConvertTest, TheCommonFormatIsSentLittleEndian) {
  view.sent_in = ByteOrder::big;  // as on a big-endian machine
  apply("convert", {{"format", std::string("common")}});
  EXPECT_EQ(view.sent_in, ByteOrder::little);
}

}  // namespace
}  // namespace eventspace
