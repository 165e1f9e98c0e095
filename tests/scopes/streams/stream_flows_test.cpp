#include "scopes/streams/stream_flows.h"

#include <gtest/gtest.h>

#include "tests/scopes/streams/stream_parts.h"

namespace eventspace::streams {
namespace {

using test::kinds;
using test::Process;
using test::queued;

constexpr std::uint32_t number = 5;

/// The flows of a stream in a process with two children, which have the ranks 0 and 1.
struct Flows {
  Flows(Part part, WhenFull when_full, std::uint64_t window = 2)
      : process(part), flows(number, when_full, {window, 1000}, process.parent, process.turns) {
    for (const Child child : {one, other}) flows.add_child(child, process.children.at(child));
  }

  Process process;
  Child one{process.add(RankSet::of_range(0, 0))};
  Child other{process.add(RankSet::of_range(1, 1))};
  StreamFlows flows;
};

std::vector<Child> spread(Flows& of, const RankSet& ranks = {}) {
  return of.flows.add_down({.ranks = ranks}, of.process.below);
}
std::uint64_t waiting(Flows& of, Child child) { return of.flows.find_child(child)->flow.waiting().packets; }

TEST(StreamFlowsTest, PacketsGoDownToTheChildrenThatHaveTheirRanks) {
  Flows of(Part::internal, WhenFull::wait);
  EXPECT_TRUE(spread(of).empty());
  EXPECT_TRUE(spread(of, RankSet::of_range(1, 1)).empty());
  EXPECT_EQ(waiting(of, of.one), 1U);
  EXPECT_EQ(waiting(of, of.other), 2U);
  EXPECT_EQ(of.flows.sent_down().packets, 3U);
  EXPECT_EQ(of.flows.held_down().packets, 2U) << "of the slowest";
  EXPECT_FALSE(of.flows.has_room_down());
}

TEST(StreamFlowsTest, AChildThatIsTooSlowIsNamedOnceAndGetsNoMore) {
  Flows of(Part::internal, WhenFull::disconnect);
  (void)spread(of, RankSet::of_range(1, 1));
  (void)spread(of, RankSet::of_range(1, 1));
  EXPECT_EQ(spread(of), std::vector<Child>{of.other});
  EXPECT_TRUE(spread(of).empty());
  EXPECT_EQ(of.flows.dropped(), 1U);
  EXPECT_EQ(waiting(of, of.one), 2U);
}

TEST(StreamFlowsTest, DroppedPacketsAreReportedTogether) {
  Flows of(Part::internal, WhenFull::drop_newest);
  for (int i = 0; i < 4; ++i) of.flows.add_up({});
  of.flows.count_dropped_below(10);
  of.flows.report_dropped();
  of.flows.report_dropped();
  const auto frames = queued(of.process.parent.link());
  ASSERT_EQ(kinds(frames), std::vector{FrameKind::dropped});
  EXPECT_EQ(frames.front().number, 2U) << "the process below has reported the others";
  EXPECT_EQ(of.flows.dropped(), 12U);
}

TEST(StreamFlowsTest, WithoutAParentDroppedPacketsAreReportedLater) {
  Flows of(Part::internal, WhenFull::drop_newest, 1);
  of.process.parent.link().lose();
  of.flows.add_up({});
  of.flows.add_up({});
  of.flows.report_dropped();
  EXPECT_TRUE(queued(of.process.parent.link()).empty());
  of.process.parent.link().connect(of.process.above);
  of.flows.report_dropped();
  EXPECT_EQ(queued(of.process.parent.link()).front().number, 1U);
}

TEST(StreamFlowsTest, TheUserOfAFrontEndGetsPacketsAndNoMarks) {
  Flows of(Part::front_end, WhenFull::wait);
  of.flows.add_up({.lost = true});
  of.flows.add_up({.ends = true});
  EXPECT_TRUE(of.process.turns.empty());
  of.flows.add_up({.tag = 3});
  EXPECT_EQ(of.flows.held_up().packets, 1U);
  EXPECT_EQ(of.flows.for_user().take().tag, 3);
}

TEST(StreamFlowsTest, TheUserOfABackEndLosesTheOldestOrTheNewest) {
  for (const WhenFull when_full : {WhenFull::drop_oldest, WhenFull::drop_newest}) {
    Flows of(Part::back_end, when_full);
    for (std::int32_t tag = 1; tag <= 3; ++tag) (void)of.flows.add_down({.tag = tag}, of.process.below);
    EXPECT_EQ(of.flows.dropped(), 1U);
    EXPECT_EQ(of.flows.for_user().take().tag, when_full == WhenFull::drop_oldest ? 2 : 1);
  }
}

TEST(StreamFlowsTest, TheParentGetsCreditWhenTheSlowestChildHasRoom) {
  Flows of(Part::internal, WhenFull::wait);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(of.flows.up().receive(0));
    (void)spread(of);
  }
  of.flows.find_child(of.one)->flow.sent(2);
  of.flows.grant_parent();
  EXPECT_TRUE(queued(of.process.parent.link()).empty());
  of.flows.find_child(of.other)->flow.sent(2);
  of.flows.grant_parent();
  const auto frames = queued(of.process.parent.link());
  ASSERT_EQ(kinds(frames), std::vector{FrameKind::credit});
  EXPECT_EQ(frames.front().number, 4U);
}

}  // namespace
}  // namespace eventspace::streams
