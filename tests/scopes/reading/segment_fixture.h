#pragma once

#include <gtest/gtest.h>

#include "tests/scopes/reading/process_talk.h"

namespace eventspace::test {

/// The segment of process p0 (see small_segment: trace elements 3 and 5, keeping four and two), with its
/// writers and a view of it.
class SegmentFixture : public ::testing::Test {
 protected:
  void record(int count) {
    for (int i = 0; i < count; ++i) test::record(first, ++recorded);
  }
  [[nodiscard]] const SegmentView::Trace& trace(std::size_t place = 0) const { return seen.traces()[place]; }

  TemporaryDirectory directory;
  Segment segment{small_segment(directory.path())};
  TraceWriter first{segment.writer(0)}, second{segment.writer(1)};
  SegmentView seen{segment.path()};
  std::uint64_t recorded{0};
};

}  // namespace eventspace::test
