#include "monitors/profile/thread_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr std::uint32_t outside = 0;

class ThreadRegionsTest : public testing::Test {
 protected:
  void add(std::uint64_t start, std::uint64_t end) { regions.add({start, end, 0, {}, {}}, found); }
  void end(std::uint32_t name, std::uint64_t start, std::uint64_t end) {
    regions.end(name, start, end, found);
  }

  ThreadRegions regions;
  std::map<std::uint64_t, std::uint32_t> where;  // the regions of calls, by their start
  ThreadRegions::Found found = [this](const PhasedCall& call, std::optional<std::uint32_t> region) {
    EXPECT_TRUE(where.emplace(call.start, region.value_or(outside)).second) << "twice";
  };
};

TEST_F(ThreadRegionsTest, CallsAreInTheInnermostRegionAroundThem) {
  regions.open(1, 10);
  add(12, 14);
  add(22, 24);
  end(2, 20, 30);
  add(31, 32);
  end(1, 10, 40);
  add(41, 42);
  regions.settle(42, found);
  EXPECT_THAT(where, ElementsAre(Pair(12, 1), Pair(22, 2), Pair(31, 1), Pair(41, outside)));
  EXPECT_THAT(regions.inside(), ElementsAre(Pair(1, 20), Pair(2, 10)));
}

// A pull may have read the region and not yet the calls in it.
TEST_F(ThreadRegionsTest, CallsThatAreReadLaterThanTheirRegionAreInIt) {
  end(2, 20, 30);
  end(1, 10, 40);
  add(12, 14);
  add(22, 24);
  EXPECT_THAT(where, ElementsAre(Pair(12, 1), Pair(22, 2)));
}

TEST_F(ThreadRegionsTest, CallsInAnOpenRegionCountThere) {
  regions.open(1, 10);
  add(5, 6);
  add(12, 14);
  regions.settle(20, found);
  EXPECT_THAT(where, ElementsAre(Pair(5, outside), Pair(12, 1)));
  EXPECT_THAT(regions.inside(), ElementsAre(Pair(1, 10)));
}

TEST_F(ThreadRegionsTest, WithoutRegionsNothingWaits) {
  add(1, 2);
  EXPECT_THAT(where, ElementsAre(Pair(1, outside)));
  EXPECT_FALSE(regions.any());
}

TEST_F(ThreadRegionsTest, NoMoreCallsWaitThanTheBound) {
  end(1, 0, 1);
  for (std::uint64_t i = 0; i < ThreadRegions::max_waiting + 10; ++i) add(10 + i, 10 + i);
  EXPECT_EQ(where.size(), 10u);
  EXPECT_EQ(regions.left_out(), 10u);
}

TEST_F(ThreadRegionsTest, ManyRegionsSideBySideAreAllInTheOneAround) {
  for (std::uint64_t i = 0; i < 10'000; ++i) end(2, 10 + 10 * i, 15 + 10 * i);
  end(1, 0, 200'000);
  EXPECT_THAT(regions.inside(), ElementsAre(Pair(1, 150'000), Pair(2, 50'000)));
}

// Compared with the definition: random nested regions, and calls inside one or outside all.
TEST_F(ThreadRegionsTest, RandomNestsAreAsTheDefinitionSays) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    struct Stretch {
      std::uint32_t name;
      std::uint64_t start, end;
    };
    std::vector<Stretch> made;
    std::vector<Stretch> open;
    std::map<std::uint64_t, std::uint32_t> expected;
    where.clear();
    regions = {};
    end(99, 0, 1);
    for (std::uint64_t now = 10; now < 200; ++now) {
      const unsigned choice = random() % 4;
      if (choice == 0 && open.size() < 6)
        open.push_back({static_cast<std::uint32_t>(1 + random() % 3), now, 0});
      if (choice == 1 && !open.empty()) {
        end(open.back().name, open.back().start, now);
        open.pop_back();
      }
      if (choice == 2) {
        expected[now] = open.empty() ? outside : open.back().name;
        add(now, now);
      }
    }
    for (; !open.empty(); open.pop_back()) end(open.back().name, open.back().start, 200);
    regions.settle(200, found);
    EXPECT_EQ(where, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace eventspace
