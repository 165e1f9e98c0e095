#include "scopes/streams/refuges.h"

#include <gtest/gtest.h>

#include "tests/scopes/streams/stream_parts.h"

namespace eventspace::streams {
namespace {

using test::KeptOutlet;
using test::kinds;
using test::queued;
using Endpoints = std::vector<std::string>;

class RefugesTest : public testing::Test {
 protected:
  /// The parent sends the processes above it.
  void lineage(const Endpoints& above, Adoption adoption) {
    refuges.on_lineage({.number = static_cast<std::uint64_t>(adoption), .packet = encode_endpoints(above)});
  }
  void siblings(const Endpoints& endpoints, std::uint64_t whose = 0) {
    refuges.on_siblings({.number = whose, .packet = encode_endpoints(endpoints)});
  }
  /// The last frame that is queued for a child.
  Frame last(Child child) { return queued(children.at(child).link).back(); }

  KeptOutlet outlet;
  ParentLink parent{Part::internal};
  ChildLinks children;
  Refuges refuges{parent, children};
};

TEST_F(RefugesTest, AChildGetsTheProcessesAboveItsParent) {
  const Child child = children.add(outlet, "tcp://child", true);
  refuges.set_parent("tcp://parent");
  EXPECT_EQ(decode_endpoints(last(child).packet), Endpoints{"tcp://parent"});
  lineage({"tcp://root"}, Adoption::ancestor);
  EXPECT_EQ(decode_endpoints(last(child).packet), (Endpoints{"tcp://parent", "tcp://root"}));
}

TEST_F(RefugesTest, AProcessWithoutParentSendsNothing) {
  const Child child = children.add(outlet, "tcp://child", true);
  refuges.introduce(children.at(child).link);
  EXPECT_TRUE(children.at(child).link.control().empty());
}

TEST_F(RefugesTest, ANewParentMakesThePreviousRefugesUnknown) {
  refuges.set_parent("tcp://parent");
  lineage({"tcp://root"}, Adoption::sibling);
  siblings({"tcp://uncle"}, of_the_parent);
  refuges.set_parent("tcp://root");
  EXPECT_TRUE(refuges.list({}).endpoints.empty());
}

TEST_F(RefugesTest, SiblingsOfTheParentComeBeforeItsAncestors) {
  refuges.set_parent("tcp://parent");
  lineage({"tcp://root"}, Adoption::sibling);
  siblings({"tcp://a", "tcp://b"}, of_the_parent);
  const auto list = refuges.list(RankSet::of_range(4, 5));
  EXPECT_EQ(list.endpoints, (Endpoints{"tcp://a", "tcp://b", "tcp://root"}));
  EXPECT_EQ(list.siblings, 2U);
}

TEST_F(RefugesTest, ProcessesWithTheSameParentBeginWithDifferentSiblings) {
  siblings({"tcp://a", "tcp://b"}, of_the_parent);
  EXPECT_EQ(refuges.list(RankSet::of_range(0, 0)).endpoints.front(), "tcp://a");
  EXPECT_EQ(refuges.list(RankSet::of_range(1, 1)).endpoints.front(), "tcp://b");
}

TEST_F(RefugesTest, SiblingsGetEachOthersEndpointsAndOrphans) {
  const Child one = children.add(outlet, "tcp://one", true);
  const Child other = children.add(outlet, "tcp://other", true);
  const Child leaf = children.add(outlet, "", false);
  refuges.update_siblings();
  EXPECT_TRUE(children.at(one).link.control().empty()) << "ancestors adopt";
  refuges.set_adoption(Adoption::sibling);
  EXPECT_EQ(decode_endpoints(last(one).packet), Endpoints{"tcp://other"});
  EXPECT_TRUE(children.at(leaf).link.control().empty());
  refuges.offer_orphans(RankSet::of_range(8, 9));
  EXPECT_EQ(kinds(queued(children.at(other).link)),
            (std::vector{FrameKind::siblings, FrameKind::orphans, FrameKind::siblings}));
}

TEST_F(RefugesTest, OfferedEndPointsMayAttach) {
  refuges.on_orphans({.packet = {.ranks = RankSet::of_range(1, 2)}});
  refuges.on_orphans({.packet = {.ranks = RankSet::of_range(3, 3)}});
  EXPECT_EQ(refuges.adoptable(), RankSet::of_range(1, 3));
}

TEST_F(RefugesTest, ADamagedFrameChangesNothing) {
  refuges.set_parent("tcp://parent");
  lineage({"tcp://root"}, Adoption::sibling);
  Frame damaged{.packet = test::Number::make(0, 5)};
  EXPECT_THROW(refuges.on_lineage(damaged), PacketError);
  EXPECT_THROW(refuges.on_siblings(damaged), PacketError);
  EXPECT_EQ(refuges.list({}).endpoints, Endpoints{"tcp://root"});
  EXPECT_EQ(refuges.adoption(), Adoption::sibling);
}

}  // namespace
}  // namespace eventspace::streams
