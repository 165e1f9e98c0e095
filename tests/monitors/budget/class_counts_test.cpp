#include "monitors/budget/class_counts.h"

#include <gmock/gmock.h>

#include "tests/monitors/budget/fake_session.h"

namespace eventspace {
namespace {

using testing::DoubleNear;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint8_t one = 1;
constexpr std::uint8_t other = 2;
constexpr EventClasses ones{FakeSession::operation_kind_number, one};

class ClassCountsTest : public testing::Test {
 protected:
  ClassCounts::Look look() {
    session.pass(1);
    return counts.observe(session.look());
  }
  ClassCounts::Look after_looks(int looks) {
    ClassCounts::Look last = look();
    for (int i = 1; i < looks; ++i) last = look();
    return last;
  }
  static ClassLoad load_of(const ClassCounts::Look& look, std::uint8_t event_class) {
    for (const ClassLoad& load : look.processes.at(0).classes)
      if (load.of.event_class == event_class) return load;
    return {};
  }

  FakeSession session;
  ClassCounts counts{session.names()};
};

TEST_F(ClassCountsTest, WhatWasThereBeforeTheFirstLookHasNotHappened) {
  session.add(1, 11, {{one, 1000}});
  session.pass(100);
  const ClassCounts::Look first = look();
  EXPECT_EQ(load_of(first, one).recorded, 0);
  EXPECT_EQ(first.recording_cpu.count(), 0);
  const ClassCounts::Look second = look();
  EXPECT_EQ(load_of(second, one).recorded, 1000);
  EXPECT_EQ(second.recording_cpu, std::chrono::seconds(1));
}

TEST_F(ClassCountsTest, AProcessThatBeganSinceCountsFromItsBeginning) {
  session.add(1, 11, {{one, 1000}});
  after_looks(3);
  session.processes.erase(1);
  session.add(2, 22, {{one, 500}});
  const ClassCounts::Look now = look();
  ASSERT_THAT(now.processes, SizeIs(1));
  EXPECT_EQ(load_of(now, one).recorded, 500);
  EXPECT_EQ(now.recording_cpu, std::chrono::seconds(1));
}

TEST_F(ClassCountsTest, AnotherRunOfAProcessDoesNotContinueTheFirst) {
  session.add(1, 11, {{one, 1000}});
  after_looks(10);
  session.processes.erase(1);
  session.add(1, 12, {{one, 300}});
  EXPECT_EQ(load_of(look(), one).recorded, 300);
}

TEST_F(ClassCountsTest, RecordsOfATraceElementAreDividedByTheClassesOfItsNewestEvents) {
  session.add(1, 11, {{one, 3000}, {other, 1000}});
  double sum_of_one = 0;
  double sum = 0;
  after_looks(10);
  for (int i = 0; i < 40; ++i) {
    const ClassCounts::Look now = look();
    sum_of_one += load_of(now, one).recorded;
    sum += load_of(now, one).recorded + load_of(now, other).recorded;
  }
  EXPECT_THAT(sum, DoubleNear(40 * 4000, 100));  // the sum is exact
  EXPECT_THAT(sum_of_one / sum, DoubleNear(0.75, 0.1));
}

TEST_F(ClassCountsTest, EventsThatAreNotRecordedAreEstimated) {
  session.add(1, 11, {{one, 10'000}});
  after_looks(10);
  session.processes.at(1).collecting.set(ones, 100);
  const ClassLoad thinned = load_of(after_looks(10), one);
  EXPECT_EQ(thinned.period, 100U);
  EXPECT_THAT(thinned.events, DoubleNear(10'000, 500));
  session.processes.at(1).collecting.set(ones, 0);
  const ClassLoad off = load_of(after_looks(10), one);
  EXPECT_EQ(off.recorded, 0);
  EXPECT_THAT(off.events, DoubleNear(10'000, 500));
}

// Otherwise the class that was thinned would seem to have the events of the other one, times its period.
TEST_F(ClassCountsTest, AClassThatIsThinnedIsASmallerPartOfTheRecordsAtOnce) {
  session.add(1, 11, {{one, 100'000}, {other, 10'000}});
  after_looks(20);
  session.processes.at(1).collecting.set(ones, 1000);
  look();  // the interval in which it was switched
  const ClassCounts::Look now = look();
  EXPECT_LT(load_of(now, one).events, 400'000);
  EXPECT_THAT(load_of(now, other).recorded, DoubleNear(10'000, 1500));
}

TEST_F(ClassCountsTest, AThreadWithoutRecordsHasNoShareInTheTime) {
  session.add(1, 11, {});
  EXPECT_EQ(after_looks(5).recording_cpu.count(), 0);
  EXPECT_THAT(look().processes.at(0).classes, IsEmpty());
}

}  // namespace
}  // namespace eventspace
