#include "collectors/probes/probe_recorder.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "tests/collectors/recording_test.h"

namespace eventspace {
namespace {

class ProbeRecorderTest : public test::RecordingTest {
 protected:
  static ProbeValue integer(std::int64_t value) {
    return {static_cast<std::uint64_t>(value), NumberForm::integer};
  }

  std::vector<TraceTuple> records() {
    std::vector<TraceTuple> all;
    ring.reader().read_after(0, 100, all);
    return all;
  }
  std::vector<std::uint32_t> names() {
    std::vector<std::uint32_t> names;
    for (const TraceTuple& record : records()) names.push_back(name_of(record));
    return names;
  }
  static std::uint32_t name_of(const TraceTuple& record) {
    return static_cast<std::uint32_t>(record.words[3] >> 32);
  }
  static std::optional<double> field(const TraceTuple& record, std::string_view name) {
    const EventKinds& kinds = EventKinds::instance();
    return kinds.place(probe_kind, *kinds.field_named(name))->number(record);
  }
  static std::string_view verb(const TraceTuple& record) {
    const EventKinds& kinds = EventKinds::instance();
    const FieldPlace* const place = kinds.place(probe_kind, *kinds.field_named("verb"));
    return place->words[*place->bits_of(record)];
  }

  CollectSwitch enabled{true};
  RecordedThread thread{&enabled, 17, true};
  ProbeRecorder recorder{ring.writer(), identity, thread, Clock::instance()};
};

TEST_F(ProbeRecorderTest, APointHasItsValuesAndItsThreadsVirtualTime) {
  const std::uint64_t before = Clock::instance().now();
  recorder.point(5,
                 std::vector{integer(-3), ProbeValue{std::bit_cast<std::uint64_t>(0.5), NumberForm::real}});
  ASSERT_EQ(records().size(), 1u);
  const TraceTuple record = records()[0];
  const RecordHeader header = header_of(record);
  EXPECT_EQ(header.kind, probe_kind);
  EXPECT_EQ(header.thread, identity.thread);
  EXPECT_EQ(header.path, identity.path);
  EXPECT_EQ(header.start, header.end);
  EXPECT_LE(before, header.start);
  EXPECT_EQ(verb(record), "point");
  EXPECT_EQ(name_of(record), 5u);
  EXPECT_EQ(field(record, "value1"), -3.0);
  EXPECT_EQ(field(record, "value2"), 0.5);
  EXPECT_EQ(field(record, "virtual_time"), 17.0);
}

TEST_F(ProbeRecorderTest, AValueThatWasNotGivenIsMissing) {
  recorder.point(5, {});
  EXPECT_EQ(field(records()[0], "value1"), std::nullopt);
  EXPECT_EQ(field(records()[0], "value2"), std::nullopt);
}

TEST_F(ProbeRecorderTest, MoreValuesAreInContinuationsBeforeTheRecord) {
  std::vector<ProbeValue> values;
  for (int i = 1; i <= 9; ++i) values.push_back(integer(i));
  recorder.point(5, values);
  const auto all = records();
  ASSERT_EQ(all.size(), 4u);  // eight values; the ninth is dropped
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(header_of(all[i]).part, 3 - i);
    EXPECT_EQ(header_of(all[i]).start, header_of(all[3]).start);
    EXPECT_EQ(header_of(all[i]).end, header_of(all[3]).end);
  }
  EXPECT_EQ(field(all[3], "value2"), 2.0);
  EXPECT_EQ(field(all[0], "value7"), 7.0);
  EXPECT_EQ(field(all[0], "value8"), 8.0);
}

TEST_F(ProbeRecorderTest, TheInnermostOpenRegionIsInFlight) {
  const auto in_flight = [this] {
    const auto record = ring.reader().in_flight();
    return record ? std::optional(name_of(*record)) : std::nullopt;
  };
  EXPECT_EQ(in_flight(), std::nullopt);
  recorder.begin(1);
  EXPECT_EQ(in_flight(), 1u);
  recorder.begin(2);
  EXPECT_EQ(in_flight(), 2u);
  recorder.point(7, {});
  EXPECT_EQ(in_flight(), 2u);
  recorder.end(2, {});
  EXPECT_EQ(in_flight(), 1u);
  recorder.end(1, {});
  EXPECT_EQ(in_flight(), std::nullopt);
  EXPECT_EQ(names(), (std::vector<std::uint32_t>{7, 2, 1}));
}

TEST_F(ProbeRecorderTest, ARegionLastsFromItsBeginToItsEnd) {
  recorder.begin(1);
  const std::uint64_t between = Clock::instance().now();
  recorder.end(1, std::vector{integer(4)});
  const TraceTuple record = records()[0];
  EXPECT_EQ(verb(record), "region");
  EXPECT_LE(header_of(record).start, between);
  EXPECT_LE(between, header_of(record).end);
  EXPECT_EQ(field(record, "value1"), 4.0);
}

TEST_F(ProbeRecorderTest, RegionsThatWereLeftOpenEndWithTheOneAroundThem) {
  recorder.begin(1);
  recorder.begin(2);
  recorder.begin(3);
  recorder.end(1, {});
  EXPECT_EQ(names(), (std::vector<std::uint32_t>{3, 2, 1}));
  EXPECT_EQ(ring.reader().in_flight(), std::nullopt);
}

TEST_F(ProbeRecorderTest, AnEndWithoutItsBeginDoesNothing) {
  recorder.end(1, {});
  recorder.begin(1);
  recorder.end(2, {});
  EXPECT_EQ(recorded(), 0u);
  recorder.end(1, {});
  EXPECT_EQ(recorded(), 1u);
}

TEST_F(ProbeRecorderTest, RegionsThatAreTooDeepAreNotRecorded) {
  for (std::uint32_t i = 0; i < 100; ++i) recorder.begin(i);
  for (std::uint32_t i = 100; i-- > 0;) recorder.end(i, {});
  EXPECT_EQ(recorded(), ProbeRecorder::deepest);
  EXPECT_EQ(ring.reader().in_flight(), std::nullopt);
}

TEST_F(ProbeRecorderTest, ADeepRecursionEndsNoRegionTooEarly) {
  for (int i = 0; i < 100; ++i) recorder.begin(1);
  for (int i = 100; i > 64; --i) recorder.end(1, {});
  EXPECT_EQ(recorded(), 0u);
  for (int i = 64; i > 0; --i) recorder.end(1, {});
  EXPECT_EQ(recorded(), ProbeRecorder::deepest);
}

TEST_F(ProbeRecorderTest, WhileSwitchedOffNothingBegins) {
  enabled.set_by_program(false);
  recorder.point(1, {});
  recorder.begin(2);
  recorder.end(2, {});
  EXPECT_EQ(recorded(), 0u);
  enabled.set_by_program(true);
  recorder.begin(2);
  enabled.set_by_program(false);
  recorder.end(2, {});  // what has begun is recorded to its end
  EXPECT_EQ(recorded(), 1u);
}

TEST_F(ProbeRecorderTest, TheEndOfARegionThatBeganWhileSwitchedOffEndsNoOtherOfItsName) {
  recorder.begin(2);
  recorder.begin(3);
  enabled.set_by_program(false);
  recorder.begin(2);  // a recursion
  EXPECT_EQ(name_of(ring.reader().in_flight().value()), 3u);
  enabled.set_by_program(true);
  recorder.begin(4);
  recorder.end(4, {});
  EXPECT_EQ(name_of(ring.reader().in_flight().value()), 3u);
  recorder.end(2, {});
  EXPECT_EQ(names(), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(name_of(ring.reader().in_flight().value()), 3u);
  recorder.end(2, std::vector{integer(7)});
  EXPECT_EQ(names(), (std::vector<std::uint32_t>{4, 3, 2}));
  EXPECT_EQ(field(records()[2], "value1"), 7);
  EXPECT_FALSE(ring.reader().in_flight());
}

TEST_F(ProbeRecorderTest, WithoutAVirtualTimePassagesAreCountedAlsoWhileSwitchedOff) {
  thread.has_virtual_time = false;
  for (int i = 0; i < 2; ++i) recorder.point(5, {});
  recorder.point(6, {});
  enabled.set_by_program(false);
  recorder.point(5, {});
  enabled.set_by_program(true);
  recorder.point(5, {});
  const auto all = records();
  EXPECT_EQ(field(all[0], "passage"), 0.0);
  EXPECT_EQ(field(all[1], "passage"), 1.0);
  EXPECT_EQ(field(all[1], "virtual_time"), std::nullopt);
  EXPECT_EQ(field(all[2], "passage"), 0.0) << "of another probe";
  EXPECT_EQ(field(all[3], "passage"), 3.0);
}

TEST_F(ProbeRecorderTest, ARegionPassesItsProbeWhenItEnds) {
  thread.has_virtual_time = false;
  recorder.begin(1);
  recorder.begin(1);
  recorder.end(1, {});
  recorder.end(1, {});
  EXPECT_EQ(field(records()[0], "passage"), 0.0);
  EXPECT_EQ(field(records()[1], "passage"), 1.0);
  for (std::size_t i = 0; i < ProbeRecorder::deepest + 3; ++i) recorder.begin(1);
  for (std::size_t i = 0; i < ProbeRecorder::deepest + 3; ++i) recorder.end(1, {});
  EXPECT_EQ(field(records().back(), "passage"), static_cast<double>(2 + 3 + ProbeRecorder::deepest - 1))
      << "three were too deep to be recorded";
}

TEST_F(ProbeRecorderTest, PassagesAreCountedForAsManyNamesAsTheTableHolds) {
  thread.has_virtual_time = false;
  const auto names = static_cast<std::uint32_t>(PassageCounts::max_names);
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t name = 1; name <= names + 1; ++name) recorder.point(name * 64, {});
  recorder.point(names * 64, {});
  recorder.point((names + 1) * 64, {});
  EXPECT_EQ(field(records().rbegin()[1], "passage"), 2.0);
  EXPECT_EQ(field(records().back(), "passage"), std::nullopt) << "the table was full when this name came";
}

TEST_F(ProbeRecorderTest, TheVirtualTimeOfAPassageIsThatWhichIsGiven) {
  recorder.point(5, {}, 0);
  recorder.point(5, {}, ~std::uint64_t{0});
  EXPECT_EQ(field(records()[0], "virtual_time"), 0.0);
  EXPECT_EQ(field(records()[1], "virtual_time"), static_cast<double>(~passage_mark)) << "the greatest";
}

TEST_F(ProbeRecorderTest, ADeepRecursionThatBeginsWhileSwitchedOffEndsNoRegionTooEarly) {
  recorder.begin(1);
  enabled.set_by_program(false);
  for (std::size_t i = 0; i < 2 * ProbeRecorder::deepest; ++i) recorder.begin(1);
  enabled.set_by_program(true);
  for (std::size_t i = 0; i < 2 * ProbeRecorder::deepest; ++i) recorder.end(1, {});
  EXPECT_EQ(recorded(), 0u);
  recorder.end(1, {});
  EXPECT_EQ(recorded(), 1u);
}

}  // namespace
}  // namespace eventspace
