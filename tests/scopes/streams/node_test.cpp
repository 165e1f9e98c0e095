#include "scopes/streams/node.h"

#include <gtest/gtest.h>

#include "scopes/streams/internal_end_point.h"

namespace eventspace::streams {
namespace {

class StreamNodeTest : public testing::Test {
 protected:
  StreamNodeTest() { LocalOutlet::pair(down, up); }

  /// The child says that these end-points are below it.
  void bring(Child child, const RankSet& ranks) {
    std::vector<std::byte> message;
    Frame joined{.kind = FrameKind::joined, .packet = {.ranks = ranks}};
    append(message, joined);
    node.receive_from_child(child, message);
  }

  LocalOutlet down;
  LocalOutlet up;
  StreamNode node{Part::internal};
};

TEST_F(StreamNodeTest, AChildBringsEndPointsThatItMayBring) {
  const Child child = node.add_child(down, RankSet(), "", RankSet::of_range(0, 7));
  bring(child, RankSet::of_range(2, 3));
  EXPECT_EQ(node.ranks(), RankSet::of_range(2, 3));
  EXPECT_EQ(node.malformed(), 0U);
}

TEST_F(StreamNodeTest, OtherEndPointsThatAChildNamesAreNotTaken) {
  const Child child = node.add_child(down, RankSet(), "", RankSet::of_range(0, 7));
  bring(child, RankSet::of_range(6, 1000));
  EXPECT_EQ(node.ranks(), RankSet::of_range(6, 7));
  EXPECT_EQ(node.malformed(), 1U);
}

TEST_F(StreamNodeTest, ABackEndIsOneEndPoint) {
  const Child child = node.add_child(down, RankSet::of_range(4, 4), "", RankSet::of_range(4, 4));
  bring(child, RankSet::of_range(0, 9));
  EXPECT_EQ(node.ranks(), RankSet::of_range(4, 4));
  EXPECT_EQ(node.malformed(), 1U);
}

}  // namespace
}  // namespace eventspace::streams
