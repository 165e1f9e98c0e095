#include "monitors/moments/last_of.h"

#include <gtest/gtest.h>

#include <random>

namespace eventspace {
namespace {

using Names = std::vector<std::size_t>;

Coming came(std::size_t who, std::int64_t ns, std::int64_t error, std::uint32_t clock) {
  return {who, Moment{ns, error, clock, ns}, {}};
}

TEST(LastOfTest, AThreadThatIsCertainlyLaterThanAllOthersIsNamed) {
  const LastOf last = last_of({came(1, 1000, 10, 0), came(2, 1021, 10, 1), came(3, 500, 10, 2)});
  EXPECT_EQ(last.name(), 2u);
  EXPECT_EQ(last.after_second, (Difference{21, 20}));
  EXPECT_EQ(last.after_first, (Difference{521, 20}));
  EXPECT_EQ(last.after_median, (Difference{21, 20}));
}

TEST(LastOfTest, WithinTheirBoundsTwoCannotBeToldApart) {
  const LastOf last = last_of({came(1, 1000, 10, 0), came(2, 1020, 10, 1), came(3, 500, 10, 2)});
  EXPECT_FALSE(last.name());
  EXPECT_EQ(last.candidates, (Names{2, 1}));
  EXPECT_EQ(last.all_here->ns, 1020);
}

TEST(LastOfTest, OneClockTellsMoreThanItsBound) {
  const LastOf last = last_of({came(1, 1000, 900'000, 7), came(2, 1010, 900'000, 7), came(3, 5, 900'000, 7)});
  EXPECT_EQ(last.name(), 2u);
  EXPECT_EQ(last.after_second->ns, 10);
  EXPECT_LT(last.after_second->error_ns, 10);
}

TEST(LastOfTest, TheLagIsAsExactAsTheNearestArrivals) {
  const LastOf last = last_of({came(1, 1000, 300, 7), came(2, 1040, 300, 7), came(3, 100, 300, 8)});
  EXPECT_EQ(last.name(), 2u);
  EXPECT_EQ(last.after_second->ns, 40);
  EXPECT_LT(last.after_second->error_ns, 10);
  EXPECT_EQ(last.after_first, (Difference{940, 600}));
}

TEST(LastOfTest, OneClockAmongOthersRulesOutItsEarlierReadings) {
  const LastOf last =
      last_of({came(1, 1000, 100, 7), came(2, 1050, 100, 7), came(3, 1100, 100, 8), came(4, 1200, 100, 9)});
  EXPECT_EQ(last.candidates, (Names{4, 3, 2}));
}

Coming came_on(std::uint32_t node, std::uint32_t jumps, Coming coming, std::int64_t ns, std::int64_t error) {
  coming.at->on_node = {node, jumps, ns, error};
  return coming;
}

TEST(LastOfTest, TheClockOfANodeDistinguishesReadingsOfItsProcesses) {
  const LastOf last =
      last_of({came_on(4, 0, came(1, 1'000'500, 900'000, 0), 77'000, 20),
               came_on(4, 0, came(2, 1'000'000, 900'000, 1), 77'050, 20), came(3, 50'000, 10'000, 2)});
  EXPECT_EQ(last.name(), 2u);
  EXPECT_EQ(last.after_second->ns, 50);
  EXPECT_LT(last.after_second->error_ns, 50);
}

TEST(LastOfTest, NotOfAnotherNode) {
  EXPECT_FALSE(last_of({came_on(4, 0, came(1, 1000, 900, 0), 77'000, 20),
                        came_on(5, 0, came(2, 1000, 900, 1), 77'050, 20)})
                   .name());
}

TEST(LastOfTest, NotWhenThatClockHasJumpedInBetween) {
  EXPECT_FALSE(last_of({came_on(4, 0, came(1, 1000, 900, 0), 77'000, 20),
                        came_on(4, 1, came(2, 1000, 900, 1), 77'050, 20)})
                   .name());
}

TEST(LastOfTest, NotBeyondHowFarTheirCountersCanBeOffTheirNodesClock) {
  EXPECT_FALSE(last_of({came_on(4, 0, came(1, 1000, 900, 0), 77'000, 25),
                        came_on(4, 0, came(2, 1000, 900, 1), 77'050, 25)})
                   .name());
}

TEST(LastOfTest, AThreadWithoutATimeMayHaveBeenLast) {
  const LastOf last = last_of({came(1, 1000, 10, 0), {2, {}, {}}});
  EXPECT_EQ(last.candidates, (Names{1, 2}));
  EXPECT_FALSE(last.after_second);
  EXPECT_FALSE(last.after_first);
}

TEST(LastOfTest, UnlessItIsKnownThatItWasThereBefore) {
  const LastOf last = last_of({came(1, 1000, 10, 0), {2, {}, Moment{900, 10, 1}}});
  EXPECT_EQ(last.name(), 1u);
  EXPECT_EQ(last.all_here->ns, 1000);
}

TEST(LastOfTest, WithoutABoundNoThreadIsNamedAcrossClocks) {
  const LastOf last = last_of({came(1, 1000, Moment::unbounded, 0), came(2, 999'000'000, 10, 1)});
  EXPECT_FALSE(last.name());
}

TEST(LastOfTest, OneAloneIsLast) {
  const LastOf last = last_of({came(4, 1000, 10, 0)});
  EXPECT_EQ(last.name(), 4u);
  EXPECT_FALSE(last.after_second);
  EXPECT_EQ(last.after_first->ns, 0);
}

TEST(LastOfTest, WithoutThreadsNothingIsKnown) {
  EXPECT_TRUE(last_of({}).candidates.empty());
  EXPECT_EQ(last_of({{3, {}, {}}}).candidates, (Names{3}));
  EXPECT_FALSE(last_of({{3, {}, {}}}).all_here);
}

bool holds(const std::optional<Difference>& estimate, std::int64_t truth) {
  return !estimate || std::abs(estimate->ns - truth) <= estimate->error_ns;
}

// Clocks with random errors within their bounds; some readings are lost.
TEST(LastOfTest, NeverNamesAWrongThreadAndItsTimesHold) {
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    std::mt19937_64 random(seed);
    const auto any = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    const auto clocks = static_cast<std::uint32_t>(any(1, 4));
    std::vector<std::int64_t> bound, zero, bound_there, zero_of_node;
    for (std::uint32_t i = 0; i < clocks; ++i) {
      bound.push_back(any(0, 1000));
      zero.push_back(any(-1'000'000, 1'000'000));
      bound_there.push_back(any(0, 100));
      zero_of_node.push_back(any(-1'000'000, 1'000'000));
    }
    const bool have_nodes = any(0, 1) == 0;
    const auto read = [&](std::int64_t when, std::uint32_t clock) {  // in a pull of its own
      Moment moment{when + any(-bound[clock], bound[clock]), bound[clock], clock, when - zero[clock]};
      const std::uint32_t node = clock / 2;  // each node has two clocks
      const std::int64_t there = when - zero_of_node[node] + any(-bound_there[clock], bound_there[clock]);
      if (have_nodes && any(0, 9) > 0) moment.on_node = {node, 0, there, bound_there[clock]};
      return moment;
    };
    std::vector<std::int64_t> truth;
    std::vector<Coming> all;
    const auto count = static_cast<std::size_t>(any(1, 9));
    for (std::size_t who = 0; who < count; ++who) {
      const auto clock = static_cast<std::uint32_t>(any(0, clocks - 1));
      truth.push_back(any(0, 20'000));
      const std::int64_t later = truth.back() + any(0, 500);
      if (any(0, 9) > 0) {
        all.push_back({who, read(truth.back(), clock), {}});
      } else {
        all.push_back({who, {}, {}});
        if (any(0, 1) == 0) all.back().not_after = read(later, clock);
      }
    }
    const LastOf last = last_of(all);
    const std::int64_t latest = *std::max_element(truth.begin(), truth.end());
    // Threads that came within a few nanoseconds of the last are accepted too.
    const auto candidate_is_last = [&](std::size_t who) { return truth[who] >= latest; };
    ASSERT_TRUE(std::any_of(last.candidates.begin(), last.candidates.end(), candidate_is_last)) << seed;
    if (!last.name()) continue;
    ++named;
    ASSERT_GE(truth[*last.name()], latest) << seed;
    std::vector<std::int64_t> sorted = truth;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_TRUE(count < 2 || holds(last.after_second, latest - sorted[count - 2])) << seed;
    ASSERT_TRUE(holds(last.after_median, latest - sorted[(count - 1) / 2])) << seed;
    ASSERT_TRUE(holds(last.after_first, latest - sorted.front())) << seed;
  }
  EXPECT_GT(named, 10'000);
}

}  // namespace
}  // namespace eventspace
