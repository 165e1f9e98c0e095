#include "tuplespace/discard_history.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

DiscardHistory discarded(std::initializer_list<std::uint64_t> sequences) {
  DiscardHistory history;
  for (const std::uint64_t sequence : sequences) history.add(sequence);
  return history;
}

TEST(DiscardHistoryTest, CountsWhatWentAfterTheCursor) {
  const DiscardHistory history = discarded({1, 2, 3, 7, 8});
  EXPECT_EQ(history.count_after(0), 5u);
  EXPECT_EQ(history.count_after(2), 3u);
  EXPECT_EQ(history.count_after(3), 2u);
  EXPECT_EQ(history.count_after(7), 1u);
  EXPECT_EQ(history.count_after(8), 0u);
  EXPECT_EQ(history.count_after(UINT64_MAX), 0u);
}

TEST(DiscardHistoryTest, NothingDiscardedNothingMissed) { EXPECT_EQ(DiscardHistory().count_after(0), 0u); }

TEST(DiscardHistoryTest, BeyondItsMemoryItNeverCountsTooLittle) {
  DiscardHistory history;
  const std::uint64_t every_second = 4 * DiscardHistory::max_spans;
  for (std::uint64_t sequence = 2; sequence <= every_second; sequence += 2) history.add(sequence);
  EXPECT_EQ(history.count_after(0), every_second / 2);
  for (std::uint64_t cursor = 0; cursor <= every_second; ++cursor)
    EXPECT_GE(history.count_after(cursor), (every_second - cursor + 1) / 2);
  EXPECT_EQ(history.count_after(every_second - 10), 5u);
}

}  // namespace
}  // namespace eventspace
