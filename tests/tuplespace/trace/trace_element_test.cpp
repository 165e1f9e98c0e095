#include "tuplespace/trace/trace_element.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

constexpr std::size_t all = 1000;

/// A trace element that keeps four tuples.
class TraceElementTest : public testing::Test {
 protected:
  void record(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) test::record(writer, ++recorded);
  }
  std::string read_after(std::uint64_t after, std::size_t limit = all) {
    std::vector<TraceTuple> tuples;
    const TraceReader::Batch batch = ring.reader().read_after(after, limit, tuples);
    EXPECT_EQ(batch.copied, tuples.size());
    EXPECT_EQ(batch.copied + batch.discarded + batch.emptied + batch.torn,
              batch.last - std::min(after, recorded));
    for (const TraceTuple& tuple : tuples) EXPECT_TRUE(test::is_whole(tuple));
    last = batch.last;
    return test::summary(batch, tuples);
  }
  std::uint64_t newest() { return ring.reader().newest().value_or(TraceTuple{}).words[0]; }
  std::uint64_t in_flight() { return ring.reader().in_flight().value_or(TraceTuple{}).words[0]; }
  /// Returns the newest tuple and the one in flight, such as "3 4*".
  std::string read_newest() {
    std::vector<TraceTuple> tuples;
    const bool begun = ring.reader().read_newest(tuples);
    EXPECT_TRUE(!begun || !tuples.empty());
    for (const TraceTuple& tuple : tuples) {
      const bool half = begun && &tuple == &tuples.back();
      EXPECT_TRUE(test::is_whole(tuple, half ? 4 : 8));
      EXPECT_EQ(tuple.words[5] == 0, half);
    }
    return test::summary({}, tuples) + (begun ? "*" : "");
  }

  test::RingMemory ring{4};
  TraceWriter writer{ring.writer()};
  std::uint64_t recorded{0};
  std::uint64_t last{0};
};

TEST_F(TraceElementTest, AFreshOneHoldsNothing) {
  EXPECT_EQ(read_after(0), "");
  EXPECT_EQ(last, 0u);
  EXPECT_FALSE(ring.reader().newest());
  EXPECT_FALSE(ring.reader().in_flight());
}

TEST_F(TraceElementTest, ReadsWhatWasRecordedOldestFirst) {
  record(3);
  EXPECT_EQ(read_after(0), "1 2 3");
  EXPECT_EQ(newest(), 3u);
}

TEST_F(TraceElementTest, EachReadGoesOnWhereTheLastOneEnded) {
  record(2);
  EXPECT_EQ(read_after(0), "1 2");
  EXPECT_EQ(read_after(last), "");
  record(2);
  EXPECT_EQ(read_after(last), "3 4");
}

TEST_F(TraceElementTest, ALimitLeavesTheRestForLater) {
  record(4);
  EXPECT_EQ(read_after(0, 3), "1 2 3");
  EXPECT_EQ(last, 3u);
  EXPECT_EQ(read_after(last, 3), "4");
}

TEST_F(TraceElementTest, ALimitOfNothingReadsNothing) {
  record(2);
  EXPECT_EQ(read_after(0, 0), "");
  EXPECT_EQ(last, 0u);
}

TEST_F(TraceElementTest, NoLimitAtAllIsNoLimit) {
  record(3);
  EXPECT_EQ(read_after(0, std::numeric_limits<std::size_t>::max()), "1 2 3");
}

TEST_F(TraceElementTest, TheOldestGoAboveTheThresholdAndAreCounted) {
  record(10);
  EXPECT_EQ(read_after(0), "7 8 9 10, discarded 6");
  EXPECT_EQ(read_after(3), "7 8 9 10, discarded 3");
  EXPECT_EQ(read_after(8), "9 10");
}

TEST_F(TraceElementTest, DiscardedOnesDoNotCountTowardsTheLimit) {
  record(10);
  EXPECT_EQ(read_after(0, 2), "7 8, discarded 6");
  EXPECT_EQ(read_after(last, 2), "9 10");
}

TEST_F(TraceElementTest, ReadingAfterWhatIsNotThereYetReadsNothing) {
  record(3);
  EXPECT_EQ(read_after(99), "");
  EXPECT_EQ(last, 3u);
}

TEST_F(TraceElementTest, ReadsAppend) {
  record(2);
  std::vector<TraceTuple> tuples(1);
  EXPECT_EQ(ring.reader().read_after(0, all, tuples).copied, 2u);
  ASSERT_EQ(tuples.size(), 3u);
  EXPECT_EQ(tuples[1].words[0], 1u);
}

TEST_F(TraceElementTest, AnOperationIsInFlightBetweenItsHalves) {
  record(2);
  EXPECT_EQ(in_flight(), 0u);
  test::begin_pattern(writer, 3);
  EXPECT_EQ(in_flight(), 3u);
  EXPECT_TRUE(test::is_whole(*ring.reader().in_flight(), 4));
  EXPECT_EQ(ring.reader().in_flight()->words[5], 0u);
  EXPECT_EQ(newest(), 2u);
  test::end_pattern(writer, 3);
  EXPECT_EQ(in_flight(), 0u);
  EXPECT_EQ(newest(), 3u);
}

TEST_F(TraceElementTest, TheNewestAndTheOneInFlightAreReadTogether) {
  EXPECT_EQ(read_newest(), "");
  for (std::uint64_t s = 1; s <= 12; ++s) {  // twice around the ring: either can lie in the first slot
    test::begin_pattern(writer, s);
    EXPECT_EQ(read_newest(), s == 1 ? "1*" : std::to_string(s - 1) + " " + std::to_string(s) + "*");
    test::end_pattern(writer, s);
    EXPECT_EQ(read_newest(), std::to_string(s));
  }
}

TEST_F(TraceElementTest, OfADamagedSlotOnlyTheOperationInFlightIsRead) {
  record(4);
  test::begin_pattern(writer, 5);
  ring.word_of_slot(3, 0) = 77;
  EXPECT_EQ(read_newest(), "5*");
}

TEST_F(TraceElementTest, WhatIsReadTogetherIsAppended) {
  record(2);
  std::vector<TraceTuple> tuples(1);
  EXPECT_FALSE(ring.reader().read_newest(tuples));
  ASSERT_EQ(tuples.size(), 2u);
  EXPECT_EQ(tuples[1].words[0], 2u);
}

// More rings than are prefetched, in every state: the result is the same as reading each by itself.
TEST(ManyTraceElementsTest, AreReadInTheirOrder) {
  std::vector<std::unique_ptr<test::RingMemory>> rings;
  std::vector<TraceReader> readers;
  std::vector<TraceTuple> expected;
  for (std::uint64_t i = 0; i <= 40; ++i) {
    std::vector<TraceTuple> tuples;
    TraceReader::read_newest(readers, tuples);
    EXPECT_EQ(tuples, expected) << "of " << i;
    TraceWriter writer = rings.emplace_back(std::make_unique<test::RingMemory>(4))->writer();
    for (std::uint64_t s = 1; s <= i % 7; ++s) test::record(writer, s);
    if (i % 3 == 0) test::begin_pattern(writer, i % 7 + 1);
    if (i % 5 == 4) rings.back()->word_of_slot(i % 4, 0) = 77;
    readers.push_back(rings.back()->reader());
    readers.back().read_newest(expected);
  }
  EXPECT_GT(expected.size(), readers.size());
}

TEST_F(TraceElementTest, AnOperationInFlightTakesNoTupleAway) {
  record(10);
  test::begin_pattern(writer, 11);
  EXPECT_EQ(read_after(0), "7 8 9 10, discarded 6");
  EXPECT_EQ(in_flight(), 11u);
}

TEST_F(TraceElementTest, AnotherWriterContinuesWhatOneLeft) {
  record(6);
  writer = ring.writer();
  record(1);
  EXPECT_EQ(read_after(5), "6 7");
}

TEST_F(TraceElementTest, ATupleWithAWrongNumberIsCountedAsTorn) {
  record(4);
  ring.word_of_slot(1, 0) = 77;
  EXPECT_EQ(read_after(0), "1 3 4, torn 1");
}

TEST_F(TraceElementTest, AnyPublishedNumberIsSurvived) {
  record(3);
  for (const std::uint64_t head :
       {std::uint64_t{0}, std::uint64_t{1} << 61, std::uint64_t{1} << 63,
        std::numeric_limits<std::uint64_t>::max() - 1, std::numeric_limits<std::uint64_t>::max()}) {
    ring.published() = head;
    std::vector<TraceTuple> tuples;
    const TraceReader::Batch batch = ring.reader().read_after(1, all, tuples);
    EXPECT_LE(tuples.size(), 4u) << head;
    EXPECT_EQ(batch.copied, tuples.size());
    EXPECT_FALSE(ring.reader().newest()) << head;
    (void)ring.reader().in_flight();
    tuples.clear();
    ring.reader().read_newest(tuples);
    EXPECT_LE(tuples.size(), 1u) << head;
  }
}

// --- emptying --------------------------------------------------------------------------------------

TEST_F(TraceElementTest, EmptiedTuplesAreCountedAndThoseRecordedLaterAreRead) {
  record(3);
  ring.empty();
  EXPECT_EQ(read_after(0), ", emptied 3");
  EXPECT_EQ(last, 3u);
  EXPECT_EQ(newest(), 0u);
  record(2);
  EXPECT_EQ(read_after(0), "4 5, emptied 3");
  EXPECT_EQ(read_after(2), "4 5, emptied 1");
  EXPECT_EQ(read_after(3), "4 5");
  EXPECT_EQ(newest(), 5u);
}

TEST_F(TraceElementTest, WhatWasDiscardedBeforeItCouldBeEmptiedIsDiscarded) {
  record(10);
  ring.empty();
  EXPECT_EQ(read_after(0), ", discarded 6, emptied 4");
  record(6);
  EXPECT_EQ(read_after(0), "13 14 15 16, discarded 8, emptied 4");
  EXPECT_EQ(read_after(8), "13 14 15 16, discarded 2, emptied 2");
}

TEST_F(TraceElementTest, EmptyingAnEmptyOneAndEmptyingTwiceChangeNothing) {
  ring.empty();
  record(2);
  EXPECT_EQ(read_after(0), "1 2");
  ring.empty();
  ring.empty();
  EXPECT_EQ(read_after(0), ", emptied 2");
}

TEST_F(TraceElementTest, TheOperationInFlightStaysWhenTheOthersAreEmptied) {
  record(2);
  test::begin_pattern(writer, 3);
  ring.empty();
  EXPECT_EQ(read_newest(), "3*");
  EXPECT_EQ(in_flight(), 3u);
  test::end_pattern(writer, 3);
  recorded = 3;
  EXPECT_EQ(read_newest(), "3");
  EXPECT_EQ(read_after(0), "3, emptied 2");
}

TEST_F(TraceElementTest, ALimitHoldsForWhatIsLeft) {
  record(2);
  ring.empty();
  record(3);
  EXPECT_EQ(read_after(0, 1), "3, emptied 2");
  EXPECT_EQ(read_after(last, 1), "4");
}

TEST_F(TraceElementTest, TheNumberKeptIsThatOfTheTuplesThatCanBeRead) {
  record(10);
  EXPECT_EQ(ring.reader().kept_after(0), 4u);
  EXPECT_EQ(ring.reader().kept_after(8), 2u);
  ring.empty();
  EXPECT_EQ(ring.reader().kept_after(0), 0u);
  record(1);
  EXPECT_EQ(ring.reader().kept_after(0), 1u);
  EXPECT_EQ(ring.reader().kept_after(99), 0u);
}

TEST_F(TraceElementTest, AForgedFloorAboveTheHeadHidesNothing) {
  record(3);
  for (const std::uint64_t floor :
       {std::uint64_t{4}, std::uint64_t{1} << 62, std::numeric_limits<std::uint64_t>::max()}) {
    ring.floor() = floor;
    EXPECT_EQ(read_after(0), "1 2 3") << floor;
    EXPECT_EQ(newest(), 3u) << floor;
    EXPECT_EQ(ring.reader().kept_after(0), 3u) << floor;
  }
}

TEST_F(TraceElementTest, AForgedFloorBelowTheHeadIsCounted) {
  record(10);
  for (std::uint64_t floor = 0; floor <= 10; ++floor) {
    ring.floor() = floor;
    (void)read_after(0);  // checks that the counts add up
    EXPECT_EQ(last, 10u) << floor;
  }
}

TEST(TraceElementSizeTest, EmptyingOneLaneLeavesTheOthers) {
  constexpr std::uint16_t lanes = 9;
  std::vector<TraceTuple> memory(TraceRing::bytes(4, lanes) / sizeof(TraceTuple));
  auto* const block = reinterpret_cast<std::byte*>(memory.data());
  for (std::uint16_t lane = 0; lane < lanes; ++lane) {
    TraceWriter writer(block, 4, lanes, lane);
    test::record(writer, 1);
  }
  TraceRing::empty(block, lanes, 8);
  for (std::uint16_t lane = 0; lane < lanes; ++lane)
    EXPECT_EQ(TraceReader(block, 4, lanes, lane).newest().has_value(), lane != 8) << lane;
}

TEST(TraceElementSizeTest, AThresholdOfOneKeepsOne) {
  test::RingMemory ring(1);
  TraceWriter writer = ring.writer();
  for (std::uint64_t s = 1; s <= 5; ++s) test::record(writer, s);
  std::vector<TraceTuple> tuples;
  EXPECT_EQ(test::summary(ring.reader().read_after(0, all, tuples), tuples), "5, discarded 4");
  EXPECT_EQ(ring.reader().newest()->words[0], 5u);
}

TEST(TraceElementSizeTest, ARingHasASlotMoreThanItsThresholdAndALineEachForItsHeadAndItsFloor) {
  EXPECT_EQ(TraceRing::bytes(1), 4 * 64u);
  EXPECT_EQ(TraceRing::bytes(200), 203 * 64u);
}

TEST(TraceElementSizeTest, RingsThatShareABlockTakeNoMoreThanAlone) {
  for (std::uint16_t lanes = 1; lanes <= TraceRing::max_lanes; ++lanes) {
    EXPECT_LE(TraceRing::bytes(200, lanes), lanes * TraceRing::bytes(200));
    EXPECT_GE(TraceRing::bytes(200, lanes), lanes * 201 * 64u + lanes * 8u);
  }
  EXPECT_EQ(TraceRing::bytes(200, 16), (4 + 16 * 201) * 64u);
}

TEST(TraceElementSizeTest, AWriterGoesOnAnywhereInItsRing) {
  for (std::uint64_t left = 0; left < 12; ++left) {
    test::RingMemory ring(4);
    TraceWriter first = ring.writer();
    for (std::uint64_t s = 1; s <= left; ++s) test::record(first, s);
    TraceWriter second = ring.writer();
    for (std::uint64_t s = left + 1; s <= left + 12; ++s) test::record(second, s);
    std::vector<TraceTuple> tuples;
    EXPECT_EQ(ring.reader().read_after(left + 8, all, tuples).copied, 4u);
    for (const TraceTuple& tuple : tuples) EXPECT_TRUE(test::is_whole(tuple));
  }
}

}  // namespace
}  // namespace eventspace
