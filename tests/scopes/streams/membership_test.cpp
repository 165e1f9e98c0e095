#include "scopes/streams/membership.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/scopes/streams/stream_parts.h"

// Children of a process come and go, and name end-points below them.

namespace eventspace::streams {
namespace {

using test::KeptOutlet;
using test::kinds;
using test::Process;
using test::queued;

class MembershipTest : public testing::Test {
 protected:
  /// A child that may name these end-points later.
  Child add(std::optional<RankSet> may_bring, const RankSet& ranks = {}, Part part = Part::internal) {
    return children.add(outlet, ranks, "", std::move(may_bring), "", part);
  }
  void bring(Child child, const RankSet& ranks) {
    children.on_joined(child, {.kind = FrameKind::joined, .packet = {.ranks = ranks}});
  }
  [[nodiscard]] const RankSet& all() const { return process.below.all(); }

  Process process{Part::internal};
  KeptOutlet outlet;
  StreamTable streams{process,
                      [this](Child child, const std::string& why) { children.disconnect(child, why); }};
  Refuges refuges{process.parent, process.children};
  Membership children{process, streams, refuges};
};

TEST_F(MembershipTest, AChildBringsEndPointsThatItMayBring) {
  bring(add(RankSet::of_range(0, 7)), RankSet::of_range(2, 3));
  EXPECT_EQ(all(), RankSet::of_range(2, 3));
  EXPECT_EQ(children.refused(), 0U);
}

TEST_F(MembershipTest, OtherEndPointsThatAChildNamesAreNotTaken) {
  bring(add(RankSet::of_range(0, 7)), RankSet::of_range(6, 1000));
  EXPECT_EQ(all(), RankSet::of_range(6, 7));
  EXPECT_EQ(children.refused(), 1U);
}

TEST_F(MembershipTest, ABackEndIsOneEndPoint) {
  const RankSet own = RankSet::of_range(4, 4);
  bring(add(own, own, Part::back_end), RankSet::of_range(0, 9));
  EXPECT_EQ(all(), own);
  EXPECT_EQ(children.refused(), 1U);
}

// Other processes of a tree may notice a loss before this one does.
TEST_F(MembershipTest, AdoptedEndPointsAreBelowTheirNewProcessOnceTheOldOneHasLostThem) {
  const Child one = add(std::nullopt);
  const Child other = add(std::nullopt);
  bring(one, RankSet::of_range(1, 2));
  bring(other, RankSet::of_range(2, 3));
  EXPECT_EQ(process.below.of(one), RankSet::of_range(1, 2)) << "an end-point is below one child";
  EXPECT_EQ(process.below.of(other), RankSet::of_range(3, 3));
  children.remove(one, "lost");
  EXPECT_EQ(all(), RankSet::of_range(2, 3));
}

TEST_F(MembershipTest, EndPointsThatLeaveAreFreeForAProcessThatHasAdoptedThem) {
  const Child one = add(std::nullopt);
  const Child other = add(std::nullopt);
  bring(one, RankSet::of_range(1, 2));
  bring(other, RankSet::of_range(2, 2));
  children.on_left(one, {.kind = FrameKind::left, .packet = {.ranks = RankSet::of_range(1, 2)}});
  EXPECT_EQ(process.below.of(other), RankSet::of_range(2, 2));
}

TEST_F(MembershipTest, ADisconnectedChildReceivesTheReasonOnceAndTakesPartInNoStream) {
  const Child child = add(std::nullopt, RankSet::of_range(0, 3));
  streams.add(1, {}, 0, 1);
  children.disconnect(child, "too slow");
  children.disconnect(child, "too slow again");
  const std::vector<FrameKind> sent = kinds(queued(process.children.at(child).link));
  EXPECT_EQ(std::ranges::count(sent, FrameKind::over), 1);
  EXPECT_TRUE(all().empty());
  children.remove(child, "the connection was lost");
  EXPECT_EQ(kinds(queued(process.parent.link())), (std::vector{FrameKind::joined, FrameKind::left}))
      << "it left once";
}

}  // namespace
}  // namespace eventspace::streams
