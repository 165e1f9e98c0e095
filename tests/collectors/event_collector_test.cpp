#include "collectors/event_collector.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include <eventspace/path.h>
#include <eventspace/stage.h>
#include "paths/element_stage.h"
#include "tests/collectors/recording_test.h"

namespace eventspace {
namespace {

/// A path with one event collector in front of an element with one integer and two places.
class EventCollectorTest : public test::RecordingTest {
 protected:
  std::unique_ptr<Stage> collected(std::unique_ptr<Stage> next) {
    return make_event_collector(std::move(next), ring.writer(), identity, thread, Clock::instance(), stamps);
  }
  static Tuple number(std::int64_t value) { return Tuple::of({value}); }

  Element element{{"channel", {FieldType::integer}, 2}};
  CollectSwitch enabled{true};
  RecordedThread thread{&enabled};
  StampOrder stamps{StampOrder::plain};
  Path path{"send", collected(std::make_unique<ElementStage>(element))};
};

TEST_F(EventCollectorTest, AWriteIsRecordedWithAllThatIsKnownOfIt) {
  thread.virtual_time = 42;
  const std::uint64_t before = Clock::instance().now();
  EXPECT_EQ(path.write(number(1)), Status::ok);
  const EventRecord record = newest();
  EXPECT_EQ(record.sequence, 1u);
  EXPECT_EQ(record.verb, Verb::write);
  EXPECT_EQ(record.status, Status::ok);
  expect_of_the_collector(record, before);
  EXPECT_EQ(record.parameter, 1u);
  EXPECT_EQ(record.bytes, number(1).encoded().size());
  EXPECT_EQ(record.virtual_time, 42u);
}

TEST_F(EventCollectorTest, ATakeIsRecordedWithTheTupleThatItTook) {
  ASSERT_EQ(path.write(number(1)), Status::ok);
  ASSERT_EQ(path.write(number(1'000'000)), Status::ok);
  ASSERT_TRUE(path.take(From::newest));
  const EventRecord record = newest();
  EXPECT_EQ(record.sequence, 3u);
  EXPECT_EQ(record.verb, Verb::take);
  EXPECT_EQ(record.from, From::newest);
  EXPECT_EQ(record.parameter, 2u);
  EXPECT_EQ(record.bytes, number(1'000'000).encoded().size());
}

TEST_F(EventCollectorTest, WhatFailsIsRecordedAsItFailed) {
  EXPECT_FALSE(path.read(From::oldest, Deadline::now()));
  EXPECT_EQ(newest().status, Status::empty);
  EXPECT_EQ(newest().bytes, 0u);
  EXPECT_EQ(path.write(Tuple::of({"text"}), Deadline::now()), Status::refused);
  EXPECT_EQ(newest().status, Status::refused);
  element.close();
  EXPECT_FALSE(path.read());
  EXPECT_EQ(newest().status, Status::closed);
  EXPECT_EQ(recorded(), 3u);
}

TEST_F(EventCollectorTest, MissedTuplesAreRecorded) {
  Element progress{{"progress", {FieldType::integer}, 2, WhenFull::discard}};
  Path reader("read", collected(std::make_unique<ElementStage>(progress)));
  for (std::int64_t i = 0; i < 5; ++i) {
    Operation write;
    write.tuple = number(i);
    progress.perform(write);
  }
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(newest().missed, 3u);
  EXPECT_EQ(newest().parameter, 4u);
}

TEST_F(EventCollectorTest, AnOperationIsInFlightBetweenBeginAndFinish) {
  Operation take;
  take.verb = Verb::take;
  path.stage().begin(take);
  const auto begun = ring.reader().in_flight();
  ASSERT_TRUE(begun);
  EXPECT_EQ(decode(*begun).verb, Verb::take);
  EXPECT_EQ(decode(*begun).thread, 7u);
  EXPECT_EQ(decode(*begun).path, 30u);
  EXPECT_EQ(recorded(), 0u);
  EXPECT_FALSE(path.stage().ready(take));
  EXPECT_TRUE(ring.reader().in_flight());

  Operation write;
  write.tuple = number(5);
  element.perform(write);
  EXPECT_TRUE(path.stage().ready(take));
  path.stage().finish(take);
  EXPECT_FALSE(ring.reader().in_flight());
  EXPECT_EQ(take.status, Status::ok);
  EXPECT_EQ(newest().status, Status::ok);
}

/// Throws instead of forwarding.
class FaultyStage final : public Stage {
 public:
  explicit FaultyStage(bool in_begin) noexcept : in_begin_(in_begin) {}
  void begin(Operation& operation) override {
    operation.status = Status::under_way;
    if (in_begin_) throw std::runtime_error("begin");
  }
  bool ready(Operation& /*operation*/) override { return false; }
  void finish(Operation& /*operation*/) override { throw std::runtime_error("finish"); }

 private:
  bool in_begin_;
};

TEST_F(EventCollectorTest, AnOperationThatEndsWithAnExceptionIsNotInFlightAnyMore) {
  for (const bool in_begin : {true, false}) {
    const std::uint64_t before = recorded();
    Path faulty("faulty", collected(std::make_unique<FaultyStage>(in_begin)));
    EXPECT_THROW((void)faulty.write(number(1)), std::runtime_error);
    EXPECT_FALSE(ring.reader().in_flight());
    ASSERT_EQ(recorded(), before + 1);
    EXPECT_EQ(newest().status, Status::refused);
  }
}

TEST_F(EventCollectorTest, NeitherIsOneOfWhichBeginAndFinishAreCalledApart) {
  for (const bool in_begin : {true, false}) {
    const std::unique_ptr<Stage> stage = collected(std::make_unique<FaultyStage>(in_begin));
    const std::uint64_t before = recorded();
    Operation write;
    if (in_begin) {
      EXPECT_THROW(stage->begin(write), std::runtime_error);
    } else {
      stage->begin(write);
    }
    EXPECT_THROW(stage->finish(write), std::runtime_error);
    EXPECT_FALSE(ring.reader().in_flight());
    ASSERT_EQ(recorded(), before + 1);
    EXPECT_EQ(newest().status, Status::refused);
  }
}

TEST_F(EventCollectorTest, SwitchedOffItRecordsNothingAndForwardsAll) {
  enabled.set_by_program(false);
  EXPECT_EQ(path.write(number(1)), Status::ok);
  EXPECT_TRUE(path.take());
  EXPECT_EQ(recorded(), 0u);
  enabled.set_by_program(true);
  EXPECT_EQ(path.write(number(2)), Status::ok);
  EXPECT_EQ(recorded(), 1u);
}

TEST_F(EventCollectorTest, AnOperationBegunWhileSwitchedOnIsRecordedToItsEnd) {
  Operation write;
  write.tuple = number(1);
  path.stage().begin(write);
  enabled.set_by_program(false);
  path.stage().finish(write);
  EXPECT_EQ(recorded(), 1u);
  EXPECT_FALSE(ring.reader().in_flight());
}

TEST_F(EventCollectorTest, AnOperationBegunWhileSwitchedOffIsNotRecorded) {
  enabled.set_by_program(false);
  Operation write;
  write.tuple = number(1);
  path.stage().begin(write);
  enabled.set_by_program(true);
  path.stage().finish(write);
  EXPECT_EQ(recorded(), 0u);
}

/// A stage that checks, in the middle of an operation, whether the operation is seen in flight.
class Witness final : public Stage {
 public:
  Witness(TraceReader ring, bool& seen) : ring_(ring), seen_(&seen) {}
  void begin(Operation& /*operation*/) override {}
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override {
    *seen_ = ring_.in_flight().has_value();
    operation.status = Status::ok;
  }

 private:
  TraceReader ring_;
  bool* seen_;
};

TEST_F(EventCollectorTest, AnOperationIsSeenInFlightHoweverItIsCalled) {
  bool seen = false;
  const auto stage = collected(std::make_unique<Witness>(ring.reader(), seen));
  Operation operation;
  stage->call(operation);
  EXPECT_TRUE(seen);
  seen = false;
  stage->begin(operation);
  stage->finish(operation);
  EXPECT_TRUE(seen);
  EXPECT_FALSE(ring.reader().in_flight());
  EXPECT_EQ(recorded(), 2u);
}

TEST_F(EventCollectorTest, OrderedStampsAreOfTheSameClock) {
  stamps = StampOrder::ordered;
  Path ordered("ordered", collected(std::make_unique<ElementStage>(element)));
  const std::uint64_t before = Clock::instance().now();
  EXPECT_EQ(ordered.write(number(1)), Status::ok);
  EXPECT_LE(before, newest().start);
  EXPECT_LE(newest().start, newest().end);
  EXPECT_LE(newest().end, Clock::instance().now());
}

TEST_F(EventCollectorTest, TwoCollectorsOnAPathRecordTheSameOperationEach) {
  test::RingMemory inner_ring{10};
  auto inner = make_event_collector(std::make_unique<ElementStage>(element), inner_ring.writer(),
                                    CollectorIdentity{7, 30, 8, 2}, thread, Clock::instance());
  Path twice("twice", collected(std::move(inner)));
  EXPECT_EQ(twice.write(number(1)), Status::ok);
  const EventRecord within = decode(*inner_ring.reader().newest());
  EXPECT_EQ(within.point, 2u);
  EXPECT_LE(newest().start, within.start);
  EXPECT_GE(newest().end, within.end);
}

TEST_F(EventCollectorTest, CollectorsThatShareAWriterRecordWholeOperationsAlsoWithinEachOther) {
  TraceWriter shared = ring.writer();
  CollectorIdentity other = identity;
  other.path = 31;
  const auto sharing = [&](const CollectorIdentity& of) {
    return make_sharing_event_collector(std::make_unique<ElementStage>(element), shared, of, thread,
                                        Clock::instance());
  };
  const auto outer = sharing(identity);
  const auto inner = sharing(other);
  Operation take;
  take.verb = Verb::take;
  outer->begin(take);
  EXPECT_EQ(decode(ring.reader().in_flight().value()).path, 30u);
  Operation write;
  write.tuple = number(5);
  inner->call(write);
  outer->finish(take);
  std::vector<TraceTuple> tuples;
  const auto batch = ring.reader().read_after(0, 10, tuples);
  ASSERT_EQ(tuples.size(), 2u);
  EXPECT_EQ(batch.torn, 0u);
  const EventRecord first = decode(tuples[0]);
  const EventRecord second = decode(tuples[1]);
  EXPECT_EQ(first.path, 31u);
  EXPECT_EQ(first.verb, Verb::write);
  EXPECT_EQ(second.path, 30u);
  EXPECT_EQ(second.verb, Verb::take);
  EXPECT_LE(second.start, first.start);  // its own start, not the inner operation's
  EXPECT_GE(second.end, first.end);
  EXPECT_EQ(second.status, Status::ok);
}

}  // namespace
}  // namespace eventspace
