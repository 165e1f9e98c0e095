#include "scopes/reading/look_back.h"

#include <gtest/gtest.h>

#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// Events 1, 2, 3 ... that end at 10, 20, 30 ...
class BeginningTest : public testing::Test {
 protected:
  void record(std::uint64_t count) {
    for (; count > 0; --count, ++recorded) {
      const auto& w = test::event(0, 10 * recorded + 5, 10 * recorded + 10).words;
      writer.begin(w[1], w[2], w[3]);
      writer.end(w[4], w[5], w[6], w[7]);
    }
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> beginning(std::uint64_t ticks) const {
    const Beginning found = find_beginning(reader, ticks);
    return {found.after, found.gone};
  }

  test::RingMemory memory{8};
  TraceWriter writer{memory.writer()};
  TraceReader reader{memory.reader()};
  std::uint64_t recorded{0};
};

using After = std::pair<std::uint64_t, std::uint64_t>;

TEST_F(BeginningTest, AnEmptyTraceElementBeginsAtItsBeginning) { EXPECT_EQ(beginning(100), After(0, 0)); }
TEST_F(BeginningTest, ItIsTheFirstThatEndedThenOrLater) {
  record(7);
  for (std::uint64_t first = 1; first <= 7; ++first) {
    EXPECT_EQ(beginning(10 * first), After(first - 1, 0));
    EXPECT_EQ(beginning(10 * first - 1), After(first - 1, 0));
  }
  EXPECT_EQ(beginning(71), After(7, 0));
  EXPECT_EQ(beginning(0), After(0, 0));
}
TEST_F(BeginningTest, OverwrittenTuplesThatEndedBeforeAreCounted) {
  record(20);  // 13 to 20 are kept
  EXPECT_EQ(beginning(160), After(15, 12));
  EXPECT_EQ(beginning(201), After(20, 12));
  EXPECT_EQ(beginning(130).second, beginning(130).first);  // the ends of the overwritten tuples are unknown
  EXPECT_LE(beginning(5).first, 12u);
}
TEST_F(BeginningTest, EmptiedTuplesAreCountedForThemselves) {
  record(20);  // 13 to 20 are kept
  memory.empty();
  record(4);
  const Beginning found = find_beginning(reader, 230);  // tuple 23
  EXPECT_EQ(found.after, 22u);
  EXPECT_EQ(found.gone, 12u);
  EXPECT_EQ(found.emptied, 8u);
  EXPECT_EQ(find_beginning(reader, 500).after, 24u);
}
TEST_F(BeginningTest, OfADamagedTupleTooManyAreReadRatherThanTooFew) {
  record(7);
  memory.word_of_slot(3, 0) = 99;  // tuple 4
  EXPECT_LE(beginning(30).first, 2u);
  EXPECT_LE(beginning(60).first, 5u);
}
TEST_F(BeginningTest, ADamagedHeadMakesItOneWithoutTuples) {
  record(3);
  memory.published() = ~std::uint64_t{0};
  EXPECT_EQ(beginning(10), After(0, 0));
}

TEST(TicksBeforeTest, TicksAreThoseOfTheClock) {
  ClockCalibration clock;
  clock.ns_per_tick = 0.5;
  EXPECT_EQ(ticks_before(clock, 10'000, 1000ns), 8'000u);
  EXPECT_EQ(ticks_before(clock, 10'000, 5000ns), 0u);
  EXPECT_EQ(ticks_before(clock, 10'000, 1h), 0u);
  clock.ns_per_tick = 0;
  EXPECT_EQ(ticks_before(clock, 10'000, 1h), 0u);
}

}  // namespace
}  // namespace eventspace
