#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "collectors/event_record.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace::test {

/// A trace element for a collector, and access to the records in it.
class RecordingTest : public testing::Test {
 protected:
  EventRecord newest() { return decode(ring.reader().newest().value_or(TraceTuple{})); }
  std::uint64_t recorded() { return ring.reader().published(); }
  /// Expects an event of the collector that began no earlier than `before` and has ended.
  void expect_of_the_collector(const EventRecord& record, std::uint64_t before) const {
    EXPECT_EQ(record.thread, identity.thread);
    EXPECT_EQ(record.path, identity.path);
    EXPECT_EQ(record.peer, identity.peer);
    EXPECT_EQ(record.point, identity.point);
    EXPECT_LE(before, record.start);
    EXPECT_LE(record.start, record.end);
    EXPECT_LE(record.end, Clock::instance().now());
  }

  const CollectorIdentity identity{7, 30, 8, 1};
  RingMemory ring{10};
};

}  // namespace eventspace::test
