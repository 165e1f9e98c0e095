#include "scopes/reading/newest_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "collectors/record_header.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

/// A thread that records events with continuation records; "p15" is a continuation record of part 15, "own"
/// an event's own record, and "flight" an event in flight.
class NewestEventsTest : public testing::Test {
 protected:
  void part(std::uint64_t start, std::uint8_t number, std::uint64_t end) {
    writer_.begin(start, 0, record_words::kind(3, 0, number));
    writer_.end(end, 0, 0, 0);
  }
  void own(std::uint64_t start, std::uint64_t end) { part(start, 0, end); }
  void flight(std::uint64_t start) { writer_.begin_wide(start, 0, record_words::kind(3, 0), 1, 1, 1); }

  std::string read() {
    std::vector<TraceTuple> all;
    read_newest_events(ring_.reader(), all);
    std::string text;
    for (const TraceTuple& record : all) {
      const RecordHeader header = header_of(record);
      const std::string what = header.in_flight()         ? "flight"
                               : header.is_continuation() ? "p" + std::to_string(header.part)
                                                          : "own";
      text += what + "@" + std::to_string(header.start) + " ";
    }
    return text;
  }

  test::RingMemory ring_{20};
  TraceWriter writer_ = ring_.writer();
};

TEST_F(NewestEventsTest, AnEventInFlightComesWithItsContinuationRecords) {
  own(1, 2);
  part(5, 10, 5);
  part(5, 9, 5);
  flight(5);
  EXPECT_EQ(read(), "own@1 p10@5 p9@5 flight@5 ");
}

TEST_F(NewestEventsTest, WhatEndedLastComesWithoutItsContinuationRecords) {
  part(1, 9, 1);
  part(1, 2, 3);
  part(1, 1, 3);
  own(1, 3);
  part(5, 9, 5);
  flight(5);
  EXPECT_EQ(read(), "own@1 p9@5 flight@5 ");
}

TEST_F(NewestEventsTest, ContinuationRecordsWithoutTheirEventAreLeftOut) {
  own(1, 2);
  part(5, 9, 5);  // the event is not in flight yet
  EXPECT_EQ(read(), "own@1 ");
  flight(6);  // another event
  EXPECT_EQ(read(), "own@1 flight@6 ");
}

TEST_F(NewestEventsTest, AnElementMayHaveContinuationRecordsOnly) {
  part(5, 9, 5);
  EXPECT_EQ(read(), "");
  flight(5);
  EXPECT_EQ(read(), "p9@5 flight@5 ");
}

}  // namespace
}  // namespace eventspace
