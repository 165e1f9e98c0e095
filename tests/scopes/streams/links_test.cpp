#include <gtest/gtest.h>

#include "scopes/streams/child_links.h"
#include "scopes/streams/node_link.h"
#include "scopes/streams/parent_link.h"
#include "tests/scopes/streams/stream_parts.h"

namespace eventspace::streams {
namespace {

using test::KeptOutlet;
using test::kinds;
using test::queued;

const Frame known{.kind = FrameKind::known};

// --- one link -------------------------------------------------------------------------------------------

TEST(NodeLinkTest, FramesAreQueuedUntilTheyWereSent) {
  KeptOutlet outlet;
  NodeLink link;
  link.connect(outlet);
  link.post(known);
  outlet.is_stuck = true;
  (void)link.take_mark();
  EXPECT_FALSE(link.push(link.control()));
  EXPECT_TRUE(link.take_mark()) << "to be retried";
  outlet.is_stuck = false;
  EXPECT_TRUE(link.push(link.control()));
  EXPECT_TRUE(link.control().empty());
  EXPECT_FALSE(link.take_mark());
}

TEST(NodeLinkTest, TheOtherEndGetsCreditForHalfAWindowAtATime) {
  KeptOutlet outlet;
  NodeLink link;
  link.connect(outlet);
  EXPECT_EQ(outlet.granted, NodeLink::window);
  for (std::uint64_t i = 1; i < NodeLink::window / 2; ++i) link.count_message();
  EXPECT_EQ(outlet.granted, NodeLink::window);
  link.count_message();
  EXPECT_EQ(outlet.granted, NodeLink::window + NodeLink::window / 2);
}

TEST(NodeLinkTest, NothingMayBeSentWithoutCreditOrConnection) {
  KeptOutlet outlet;
  outlet.credit = 0;
  NodeLink link;
  EXPECT_FALSE(link.may_send());
  link.connect(outlet);
  EXPECT_FALSE(link.may_send());
  outlet.credit = 1;
  EXPECT_TRUE(link.may_send());
  link.lose();
  EXPECT_FALSE(link.may_send());
}

TEST(NodeLinkTest, FramesForAPreviousPeerAreDropped) {
  KeptOutlet outlet;
  NodeLink link;
  link.connect(outlet);
  link.post(known);
  link.connect(outlet);
  EXPECT_TRUE(link.control().empty());
}

// --- children -------------------------------------------------------------------------------------------

TEST(ChildLinksTest, AMarkOfOneChildIsSeenOnce) {
  KeptOutlet outlet;
  ChildLinks children;
  const Child child = children.add(outlet, "", false);
  EXPECT_TRUE(children.take_mark());
  EXPECT_FALSE(children.take_mark());
  EXPECT_FALSE(children.has_control());
  children.at(child).link.post(known);
  EXPECT_TRUE(children.take_mark());
  EXPECT_TRUE(children.has_control());
}

TEST(ChildLinksTest, NumbersOfChildrenAreNotReused) {
  KeptOutlet outlet;
  ChildLinks children;
  const Child child = children.add(outlet, "", false);
  children.remove(child);
  EXPECT_EQ(children.find(child), nullptr);
  EXPECT_NE(children.add(outlet, "", false), child);
}

// --- the parent -----------------------------------------------------------------------------------------

TEST(ParentLinkTest, AFrontEndQueuesEventsForItsUser) {
  ParentLink parent(Part::front_end);
  parent.report_event(EventKind::joined, RankSet::of_range(0, 3), "");
  parent.report_fault(7, 2, "bad");
  EXPECT_EQ(parent.take_event()->ranks, RankSet::of_range(0, 3));
  EXPECT_EQ(parent.take_event()->text, "stream 7, wave 2: bad");
  EXPECT_FALSE(parent.take_event());
  EXPECT_TRUE(parent.link().control().empty());
}

TEST(ParentLinkTest, OtherProcessesSendThemToTheProcessAbove) {
  KeptOutlet outlet;
  ParentLink parent(Part::internal);
  parent.link().connect(outlet);
  parent.report_event(EventKind::left, RankSet::of_range(0, 3), "lost");
  parent.report_fault(7, 2, "bad");
  EXPECT_EQ(kinds(queued(parent.link())), (std::vector{FrameKind::left, FrameKind::fault}));
  EXPECT_FALSE(parent.take_event());
}

TEST(ParentLinkTest, WithoutAParentOnlyFaultsAndTheEndAreKept) {
  ParentLink parent(Part::internal);
  parent.report_event(EventKind::joined, RankSet::of_range(0, 3), "");
  EXPECT_TRUE(parent.link().control().empty()) << "a new parent gets all end-points";
  parent.report_event(EventKind::ended, {}, "over");
  EXPECT_EQ(parent.take_event()->kind, EventKind::ended);
}

TEST(ParentLinkTest, TheUsersEventsAreLimited) {
  ParentLink parent(Part::front_end);
  for (std::size_t i = 0; i <= ParentLink::max_events; ++i) parent.report_event(EventKind::left, {}, "");
  std::size_t taken = 0;
  while (parent.take_event()) ++taken;
  EXPECT_EQ(taken, ParentLink::max_events);
}

TEST(ParentLinkTest, ErrorsOfAnInternalProcessNameIt) {
  EXPECT_EQ(ParentLink(Part::internal, 3).own("bad"), "process 3: bad");
  EXPECT_EQ(ParentLink(Part::internal).own("bad"), "bad");
  EXPECT_EQ(ParentLink(Part::front_end, 0).own("bad"), "bad");
}

}  // namespace
}  // namespace eventspace::streams
