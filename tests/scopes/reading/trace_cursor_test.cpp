#include "scopes/reading/trace_cursor.h"

#include <gtest/gtest.h>

#include "collectors/mpi/mpi_record.h"
#include "tests/scopes/reading/segment_fixture.h"

namespace eventspace {
namespace {

/// A cursor in trace element 3, which keeps four events.
class TraceCursorTest : public test::SegmentFixture {
 protected:
  TraceCursorTest() {
    cursor.bind(&trace(), false);
    cursor.set_share(1000);
  }
  /// Performs a pull, after the last view arrived or was lost, and returns the numbers of its events.
  std::string read(bool arrived) {
    cursor.settle(arrived);
    view.clear();
    cursor.read(view);
    return test::told(view);
  }

  TraceCursor cursor{3};
  View view;
};

TEST_F(TraceCursorTest, ContinuesAfterViewsThatArrivedAndRepeatsOthers) {
  record(2);
  EXPECT_EQ(read(true), "1 2");
  record(1);
  EXPECT_EQ(read(false), "1 2 3");
  EXPECT_EQ(read(true), "");
  EXPECT_EQ(cursor.sequence(), 3u);
}

TEST_F(TraceCursorTest, ReadsNoMoreThanItsShare) {
  record(4);
  cursor.set_share(3);
  EXPECT_EQ(read(true), "1 2 3");
  EXPECT_EQ(cursor.unread(), 1u);
  EXPECT_EQ(read(true), "4");
  EXPECT_EQ(cursor.unread(), 0u);
}

/// A trace element with continuation records, for an event that began at `start`.
class ContinuedEventsTest : public test::SegmentFixture {
 protected:
  ContinuedEventsTest() {
    cursor.bind(&trace(), false);
    cursor.set_share(1000);
  }
  void part(std::uint64_t start, std::uint8_t number, std::uint64_t end) {
    first.begin(start, 0, record_words::kind(mpi_kind, 0, number));
    first.end(end, 0, 0, 1);
  }
  std::string read() {
    cursor.settle(true);
    view.clear();
    cursor.read(view);
    return test::told(view);
  }

  TraceCursor cursor{3};
  View view;
};

TEST_F(ContinuedEventsTest, TheBeginningOfAnEventInFlightIsReadWithItsEnd) {
  part(1, 0, 2);
  part(5, 10, 5);
  part(5, 9, 5);
  EXPECT_EQ(read(), "1");
  EXPECT_EQ(read(), "");
  cursor.settle(true);
  EXPECT_TRUE(cursor.is_read_out());  // its process may have been killed
  part(5, 0, 7);
  EXPECT_FALSE(cursor.is_read_out());
  EXPECT_EQ(read(), "2 3 4");
}

TEST_F(ContinuedEventsTest, AShareEndsWithAWholeEvent) {
  cursor.set_share(1);
  part(5, 10, 5);
  part(5, 1, 6);
  part(5, 0, 6);
  part(7, 0, 8);
  EXPECT_EQ(read(), "1 2 3");
  EXPECT_EQ(read(), "4");
}

TEST_F(TraceCursorTest, CountsOnlyUnreadEventsThatAreStillKept) {
  record(10);
  EXPECT_EQ(cursor.unread(), 4u);
}

TEST_F(TraceCursorTest, OverwrittenEventsAreEarlierAtTheFirstLookAndDiscardedLater) {
  record(10);
  EXPECT_EQ(read(true), "7 8 9 10");
  EXPECT_EQ(view.loss.earlier, 6u);
  EXPECT_EQ(view.loss.discarded, 0u);
  record(6);
  EXPECT_EQ(read(true), "13 14 15 16");
  EXPECT_EQ(view.loss.earlier, 0u);
  EXPECT_EQ(view.loss.discarded, 2u);
}

TEST_F(TraceCursorTest, EmptiedEventsAreALossOfTheirOwnAlsoAtTheFirstLook) {
  record(10);
  segment.empty(0);
  EXPECT_EQ(cursor.unread(), 0u);
  record(1);
  EXPECT_EQ(read(true), "11");
  EXPECT_EQ(view.loss, (Loss{.earlier = 6, .emptied = 4}));
  record(3);
  segment.empty(0);
  record(1);
  EXPECT_EQ(read(true), "15");
  EXPECT_EQ(view.loss, (Loss{.emptied = 3}));
}

TEST_F(TraceCursorTest, EmptiedEventsAreReadOutOnceTheyAreCounted) {
  record(2);
  segment.empty(0);
  EXPECT_EQ(read(true), "");
  EXPECT_EQ(view.loss, (Loss{.emptied = 2}));
  cursor.settle(true);
  EXPECT_TRUE(cursor.is_read_out());
}

TEST_F(TraceCursorTest, AFirstLookBackCountsEmptiedEventsAsEmptied) {
  record(3);
  segment.empty(0);
  Loss loss;
  cursor.look_back_to(~std::uint64_t{0}, loss);
  EXPECT_EQ(loss, (Loss{.emptied = 3}));
}

TEST_F(TraceCursorTest, ARunReadFromItsStartHasNoFirstLook) {
  record(5);
  cursor.bind(&trace(), true);
  EXPECT_EQ(read(true), "2 3 4 5");
  EXPECT_EQ(view.loss.discarded, 1u);
}

TEST_F(TraceCursorTest, ResumesBehindWhereAnotherReaderWas) {
  record(4);
  cursor.resume_after(3);
  EXPECT_EQ(read(true), "4");
  EXPECT_FALSE(cursor.is_read_out());
  cursor.settle(true);
  EXPECT_TRUE(cursor.is_read_out());
}

TEST_F(TraceCursorTest, IsReadOutOnlyWhenTheLastViewArrived) {
  EXPECT_TRUE(cursor.is_read_out());
  record(1);
  EXPECT_FALSE(cursor.is_read_out());
  EXPECT_EQ(read(true), "1");
  EXPECT_TRUE(cursor.has_moved());
  EXPECT_FALSE(cursor.is_read_out());
  cursor.settle(true);
  EXPECT_FALSE(cursor.has_moved());
  EXPECT_TRUE(cursor.is_read_out());
}

TEST_F(TraceCursorTest, LooksBackOnceAndCountsTheEventsThatItSkips) {
  test::record_events(first, 1, 1);
  const std::uint64_t ended = decode(trace().reader.newest().value()).end;
  test::record_events(first, 2, 3);
  cursor.look_back_to(ended + 1, view.loss);
  EXPECT_EQ(view.loss.filtered, 1u);
  EXPECT_EQ(read(false), "1 2 3") << "the look was part of a pull that was lost";
  cursor.look_back_to(ended + 1, view.loss);
  EXPECT_EQ(view.loss.filtered, 0u) << "the first look is over";
}

TEST_F(TraceCursorTest, WithoutATraceElementThereIsNothingToRead) {
  record(1);
  cursor.bind(nullptr, false);
  EXPECT_EQ(read(true), "");
  EXPECT_EQ(cursor.unread(), 0u);
  EXPECT_TRUE(cursor.is_read_out());
  EXPECT_FALSE(cursor.has_moved());
}

}  // namespace
}  // namespace eventspace
