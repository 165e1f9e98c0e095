#include "scopes/reading/fair_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FairSharesTest, IfThereIsEnoughEachGetsItsWish) {
  EXPECT_THAT(fair_shares({3, 0, 7}, 10, 0), ElementsAre(3, 0, 7));
}
TEST(FairSharesTest, UnusedSharesGoToTheOthers) {
  EXPECT_THAT(fair_shares({100, 2, 100, 1}, 43, 0), ElementsAre(20, 2, 20, 1));
}
TEST(FairSharesTest, TheRemainderGoesToThoseFromTheFirstOn) {
  EXPECT_THAT(fair_shares({9, 9, 9}, 11, 0), ElementsAre(4, 4, 3));
  EXPECT_THAT(fair_shares({9, 9, 9}, 11, 2), ElementsAre(4, 3, 4));
}
TEST(FairSharesTest, WithLessThanOneForEachAMovingFirstReachesAll) {
  EXPECT_THAT(fair_shares({5, 5, 5}, 1, 0), ElementsAre(1, 0, 0));
  EXPECT_THAT(fair_shares({5, 5, 5}, 1, 1), ElementsAre(0, 1, 0));
  EXPECT_THAT(fair_shares({5, 5, 5}, 1, 2), ElementsAre(0, 0, 1));
}
TEST(FairSharesTest, WithoutWishesAllSharesAreZero) {
  EXPECT_THAT(fair_shares({}, 5, 0), IsEmpty());
  EXPECT_THAT(fair_shares({0, 0}, 5, 1), ElementsAre(0, 0));
}

TEST(FairSharesTest, AllIsGivenAndSharesDifferOnlyByWishOrByOne) {
  std::mt19937 random(4711);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> wanted(1 + random() % 8);
    for (auto& one : wanted) one = random() % 20;
    const std::uint64_t total = random() % 100;
    const auto shares = fair_shares(wanted, total, random() % wanted.size());
    const auto sum = [](const auto& list) {
      return std::accumulate(list.begin(), list.end(), std::uint64_t{0});
    };
    EXPECT_EQ(sum(shares), std::min(total, sum(wanted)));
    const auto most = *std::max_element(shares.begin(), shares.end());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_LE(shares[i], wanted[i]);
      EXPECT_TRUE(shares[i] == wanted[i] || shares[i] + 1 >= most) << shares[i] << " of " << wanted[i];
    }
  }
}

}  // namespace
}  // namespace eventspace
