#include <eventspace/rank_set.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace eventspace {
namespace {

using testing::ElementsAre;
using Rank = RankSet::Rank;

RankSet parsed(std::string_view text) {
  const auto set = RankSet::parse(text);
  EXPECT_TRUE(set) << text;
  return set.value_or(RankSet());
}

TEST(RankSet, IsWrittenAsRangesWithAStepWhereRanksLieEvenlyApart) {
  EXPECT_EQ(RankSet().to_text(), "");
  EXPECT_EQ(RankSet::of(std::vector<Rank>{5}).to_text(), "5");
  EXPECT_EQ(RankSet::of(std::vector<Rank>{3, 1, 2, 0, 8}).to_text(), "0-3,8");
  EXPECT_EQ(RankSet::of(std::vector<Rank>{16, 18, 20, 22, 40, 41}).to_text(), "16-22:2,40-41");
  EXPECT_EQ(RankSet::of(std::vector<Rank>{1, 3}).to_text(), "1,3") << "two are shorter as they are";
}

TEST(RankSet, ReadsWhatItWrites) {
  for (const auto* text : {"", "0", "0-3,8", "16-22:2,40-41", "0-4095", "2147483647", "0-2147483647"})
    EXPECT_EQ(parsed(text).to_text(), text);
  EXPECT_EQ(parsed("8,0-3,2-4,8").to_text(), "0-4,8") << "in any order, and twice";
  EXPECT_EQ(parsed("0-9:3").ranks(), (std::vector<Rank>{0, 3, 6, 9}));
  EXPECT_EQ(parsed("0-8:3").ranks(), (std::vector<Rank>{0, 3, 6})) << "the last need not be in the set";
}

TEST(RankSet, RefusesTextsThatAreNoSet) {
  for (const auto* text : {",",     "0,",         ",0",           "a",
                           "-1",    "3-1",        "1-",           "1-2:",
                           "1-2:0", "1:2",        " 1",           "1 ",
                           "0x1",   "2147483648", "0-2147483648", "99999999999999999999",
                           "1--2",  "1-2-3",      "1,...",        "0-2147483646:2"})
    EXPECT_FALSE(RankSet::parse(text)) << text;
}

TEST(RankSet, LongTextsAreCutAfterAWholeItem) {
  const RankSet set = parsed("0-3,8,100-200");
  EXPECT_EQ(set.to_text(13), "0-3,8,100-200");
  EXPECT_EQ(set.to_text(12), "0-3,8,...");
  EXPECT_EQ(set.to_text(8), "0-3,...");
  EXPECT_EQ(set.to_text(3), "...");
}

TEST(RankSet, FindsRanksByPlace) {
  const RankSet set = parsed("4-6,10");
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.at(0), 4u);
  EXPECT_EQ(set.at(3), 10u);
  EXPECT_EQ(set.at(4), std::nullopt);
  EXPECT_TRUE(set.contains(5));
  EXPECT_FALSE(set.contains(7));
  EXPECT_FALSE(set.contains(11));
}

TEST(RankSet, OfAMillionRanksIsOneRange) {
  RankSet set;
  for (Rank rank = 0; rank < 1'000'000; ++rank) set.add(rank);
  EXPECT_THAT(set.ranges(), ElementsAre(RankSet::Range{0, 999'999}));
}

// Against std::set, over random sets.
TEST(RankSet, OperationsAreThoseOfSets) {
  std::mt19937 random(20261124);
  const auto random_set = [&] {
    std::set<Rank> ranks;
    const auto count = random() % 40;
    for (std::size_t i = 0; i < count; ++i) ranks.insert(static_cast<Rank>(random() % 60));
    return ranks;
  };
  const auto as_set = [](const RankSet& ranks) {
    const auto all = ranks.ranks();
    return std::set<Rank>(all.begin(), all.end());
  };
  for (int round = 0; round < 2000; ++round) {
    const auto a = random_set();
    const auto b = random_set();
    RankSet x;
    RankSet y;
    std::vector<Rank> shuffled(a.begin(), a.end());
    std::ranges::shuffle(shuffled, random);
    for (const Rank rank : shuffled) x.add(rank);
    for (const Rank rank : b) y.add(rank);
    ASSERT_EQ(as_set(x), a);
    ASSERT_EQ(x.size(), a.size());
    ASSERT_EQ(parsed(x.to_text()), x) << x.to_text();
    std::set<Rank> expected;
    std::ranges::set_union(a, b, std::inserter(expected, expected.end()));
    ASSERT_EQ(as_set(x | y), expected);
    expected.clear();
    std::ranges::set_intersection(a, b, std::inserter(expected, expected.end()));
    ASSERT_EQ(as_set(x & y), expected);
    expected.clear();
    std::ranges::set_difference(a, b, std::inserter(expected, expected.end()));
    ASSERT_EQ(as_set(x - y), expected) << x.to_text() << " - " << y.to_text();
  }
}

}  // namespace
}  // namespace eventspace
