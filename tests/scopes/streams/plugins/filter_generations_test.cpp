#include "scopes/streams/plugins/filter_generations.h"

#include <gtest/gtest.h>

namespace eventspace::streams {
namespace {

/// One filter in each direction.
FilterSet filters(const char* up, const char* down = "max") {
  return make_filters({{.name = up}}, {{.name = down}}, false, {});
}

TEST(FilterGenerationsTest, PacketsThatGoUpNameTheirGeneration) {
  FilterGenerations generations(1, filters("sum"));
  generations.add(2, filters("count"), 10);
  EXPECT_EQ(generations.up_of(1).chain.name(0), "sum");
  EXPECT_EQ(generations.up_of(2).chain.name(0), "count");
  EXPECT_EQ(generations.newest(), 2U);
}

TEST(FilterGenerationsTest, PacketsThatGoDownUseTheFiltersOfTheirNumber) {
  FilterGenerations generations(1, filters("sum", "max"));
  generations.add(2, filters("sum", "min"), 10);
  EXPECT_EQ(generations.down_of(9).name(0), "max");
  EXPECT_EQ(generations.down_of(10).name(0), "min");
  EXPECT_EQ(generations.down_of(11).name(0), "min");
}

TEST(FilterGenerationsTest, FiltersThatNoPacketHasPassedDownAreReplaced) {
  FilterGenerations generations(1, filters("sum", "max"));
  generations.add(2, filters("sum", "min"), 10);
  generations.add(3, filters("sum", "sum"), 10);
  EXPECT_EQ(generations.down_of(9).name(0), "max");
  EXPECT_EQ(generations.down_of(10).name(0), "sum");
}

TEST(FilterGenerationsTest, TheOldestGenerationEndsIfThereIsANewerOne) {
  FilterGenerations generations(1, filters("sum"));
  EXPECT_FALSE(generations.take_ended(1)) << "it is in use";
  generations.add(2, filters("count"), 10);
  EXPECT_FALSE(generations.take_ended(2)) << "an older one has not ended";
  const auto ended = generations.take_ended(1);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->chain.name(0), "sum");
  EXPECT_EQ(generations.up_of(1).generation, 2U) << "late packets use the oldest filters";
}

TEST(FilterGenerationsTest, ThereIsALimit) {
  FilterGenerations generations(1, filters("sum"));
  for (std::uint32_t next = 2; next <= FilterGenerations::limit; ++next) {
    EXPECT_FALSE(generations.is_full());
    generations.add(next, filters("sum"), next);
  }
  EXPECT_TRUE(generations.is_full());
  generations.drop_earlier_up();
  EXPECT_FALSE(generations.is_full());
  EXPECT_EQ(generations.newest(), FilterGenerations::limit);
}

TEST(FilterGenerationsTest, ABackEndHasNoFiltersForTheWayUp) {
  const FilterSet made = make_filters({{.name = "sum"}}, {{.name = "max"}}, true, {});
  EXPECT_TRUE(made.up.empty());
  EXPECT_FALSE(made.down.empty());
}

}  // namespace
}  // namespace eventspace::streams
