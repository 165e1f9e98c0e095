#include "scopes/streams/members/end_points_below.h"

#include <gtest/gtest.h>

namespace eventspace::streams {
namespace {

RankSet ranks(RankSet::Rank first, RankSet::Rank last) { return RankSet::of_range(first, last); }

class EndPointsBelowTest : public testing::Test {
 protected:
  EndPointsBelowTest() {
    below.add(one, std::nullopt);
    below.add(other, std::nullopt);
  }

  static constexpr Child one = 1;
  static constexpr Child other = 2;
  EndPointsBelow below;
};

TEST_F(EndPointsBelowTest, EndPointsOfAllChildrenAreBelow) {
  EXPECT_EQ(below.join(one, ranks(0, 3)).news, ranks(0, 3));
  EXPECT_EQ(below.join(other, ranks(4, 5)).news, ranks(4, 5));
  EXPECT_EQ(below.all(), ranks(0, 5));
  EXPECT_EQ(below.remove(one), ranks(0, 3));
  EXPECT_EQ(below.all(), ranks(4, 5));
}

TEST_F(EndPointsBelowTest, AnEndPointIsBelowOneChildOnly) {
  (void)below.join(one, ranks(0, 3));
  const auto joined = below.join(other, ranks(2, 5));
  EXPECT_EQ(joined.ranks, ranks(4, 5));
  EXPECT_EQ(joined.elsewhere, ranks(2, 3));
  EXPECT_EQ(below.of(one), ranks(0, 3));
}

TEST_F(EndPointsBelowTest, AnEndPointThatHasLeftIsStillNamedByItsChildUntilItJoinsAnother) {
  (void)below.join(one, ranks(0, 3));
  EXPECT_EQ(below.leave(one, ranks(3, 9)), ranks(3, 3));
  EXPECT_EQ(below.all(), ranks(0, 2));
  EXPECT_EQ(below.of(one), ranks(0, 3));
  const auto joined = below.join(other, ranks(3, 3));
  EXPECT_EQ(joined.previous, std::vector<Child>{one});
  EXPECT_EQ(joined.news, ranks(3, 3));
  EXPECT_EQ(below.of(one), ranks(0, 2));
}

TEST_F(EndPointsBelowTest, AnEndPointThatComesBackIsNew) {
  (void)below.join(one, ranks(0, 1));
  (void)below.leave(one, ranks(1, 1));
  const auto joined = below.join(one, ranks(0, 1));
  EXPECT_EQ(joined.news, ranks(1, 1)) << "the other one was never away";
  EXPECT_TRUE(joined.previous.empty());
}

// A child may notice that another one is lost before this process does.
TEST_F(EndPointsBelowTest, AClaimIsFreeOnceTheOtherChildHasLostTheEndPoints) {
  (void)below.join(one, ranks(0, 3));
  below.claim(other, ranks(2, 3));
  EXPECT_TRUE(below.take_free_claims(other).empty());
  (void)below.leave(one, ranks(2, 2));
  EXPECT_EQ(below.take_free_claims(other), ranks(2, 2));
  (void)below.remove(one);
  EXPECT_EQ(below.take_free_claims(other), ranks(3, 3));
  EXPECT_TRUE(below.take_free_claims(other).empty());
}

TEST_F(EndPointsBelowTest, AClaimEndsIfTheClaimingChildLosesTheEndPoints) {
  (void)below.join(one, ranks(0, 3));
  below.claim(other, ranks(2, 3));
  (void)below.leave(other, ranks(2, 3));
  (void)below.remove(one);
  EXPECT_TRUE(below.take_free_claims(other).empty());
}

TEST_F(EndPointsBelowTest, AChildMayNameWhatItMayBringAndWhatItHas) {
  constexpr Child limited = 3;
  below.add(limited, ranks(0, 3));
  (void)below.join(limited, ranks(8, 8));
  EXPECT_EQ(below.allowed(limited, ranks(2, 9)), ranks(2, 3) | ranks(8, 8));
  EXPECT_EQ(below.allowed(one, ranks(2, 9)), ranks(2, 9));
}

}  // namespace
}  // namespace eventspace::streams
