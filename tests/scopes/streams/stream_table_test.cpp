#include "scopes/streams/stream_table.h"

#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "scopes/streams/link_sender.h"
#include "tests/scopes/streams/stream_parts.h"

// The streams of a process, each single stream (NodeStream), and how their packets leave (LinkSender).

namespace eventspace::streams {
namespace {

using test::kinds;
using test::Process;
using test::queued;

/// A process with two children, which have the ranks 0 and 1.
struct Table {
  explicit Table(Part part) : process(part) {}

  std::vector<FrameKind> to(Child child) { return kinds(queued(process.children.at(child).link)); }
  /// The kinds of all frames that have left for the children.
  std::vector<FrameKind> left() {
    std::vector<FrameKind> all;
    for (const auto& message : process.outlet.messages) {
      const auto frames = read_frames(message).value();
      for (const Frame& frame : frames) all.push_back(frame.kind);
    }
    return all;
  }

  Process process;
  Child one{process.add(RankSet::of_range(0, 0))};
  Child other{process.add(RankSet::of_range(1, 1))};
  std::vector<Child> slow{};
  StreamTable streams{process, [this](Child child, const std::string&) { slow.push_back(child); }};
  LinkSender sender{process, streams};
};

// --- the table ------------------------------------------------------------------------------------------

TEST(StreamTableTest, AStreamIsOpenedForItsMembersAndNumbersAreNotReused) {
  Table front(Part::front_end);
  const std::uint32_t stream = front.streams.open({.members = RankSet::of_range(1, 9)});
  EXPECT_TRUE(front.to(front.one).empty());
  EXPECT_EQ(front.to(front.other), std::vector{FrameKind::open});
  front.streams.close(stream);
  EXPECT_EQ(front.to(front.other), (std::vector{FrameKind::open, FrameKind::close}));
  EXPECT_FALSE(front.streams.has_stream(stream));
  EXPECT_NE(front.streams.open({}), stream);
}

TEST(StreamTableTest, InvalidOptionsAreRefused) {
  Table front(Part::front_end);
  EXPECT_THROW((void)front.streams.open({.window = 0}), ConfigurationError);
  EXPECT_THROW((void)front.streams.open({.window_bytes = 0}), ConfigurationError);
  EXPECT_THROW((void)front.streams.open({.up = std::vector<FilterUse>(17, FilterUse{.name = "sum"})}),
               ConfigurationError);
  EXPECT_TRUE(front.streams.streams().empty());
}

TEST(StreamTableTest, AFullStreamTakesNoPacketOrNamesTheSlowChild) {
  Table front(Part::front_end);
  const std::uint32_t waits = front.streams.open({.window = 1});
  EXPECT_TRUE(front.streams.send(waits, Process::packet(0)));
  EXPECT_FALSE(front.streams.send(waits, Process::packet(0)));
  const std::uint32_t strict = front.streams.open({.when_full = WhenFull::disconnect, .window = 1});
  EXPECT_TRUE(front.streams.send(strict, Process::packet(0)));
  EXPECT_TRUE(front.streams.send(strict, Process::packet(0)));
  EXPECT_EQ(front.slow, (std::vector<Child>{front.one, front.other}));
}

TEST(StreamTableTest, ANewParentClosesStreamsThatItDoesNotHave) {
  Table node(Part::internal);
  node.streams.add(1, {}, 0, 1);
  node.streams.add(2, {}, 0, 1);
  for (auto& [number, stream] : node.streams.streams()) stream.lose_parent();
  Frame open{.kind = FrameKind::open, .stream = 2, .packet = encode(StreamOptions{})};
  open.packet.generation = 1;
  EXPECT_FALSE(node.streams.find(2)->open_again(open));
  node.streams.keep_confirmed();
  EXPECT_FALSE(node.streams.has_stream(1));
  EXPECT_TRUE(node.streams.has_stream(2));
}

// --- one stream -----------------------------------------------------------------------------------------

TEST(NodeStreamTest, AChildWithoutMembersIsExcludedAndMayJoinAgain) {
  Table front(Part::front_end);
  const std::uint32_t stream = front.streams.open({});
  EXPECT_TRUE(front.streams.set_members(stream, RankSet::of_range(1, 1)));
  EXPECT_EQ(front.to(front.one), (std::vector{FrameKind::open, FrameKind::close}));
  EXPECT_EQ(front.to(front.other), (std::vector{FrameKind::open, FrameKind::members}));
  EXPECT_TRUE(front.streams.set_members(stream, RankSet::of_range(0, 1)));
  EXPECT_EQ(front.to(front.one).back(), FrameKind::open);
}

TEST(NodeStreamTest, AChildThatRefusesTheStreamIsMissingInItsWaves) {
  Table front(Part::front_end);
  const std::uint32_t number = front.streams.open({.up = {{.name = "sum"}}});
  NodeStream& stream = *front.streams.find(number);
  stream.refuse_child(front.one, {.kind = FrameKind::refused});
  EXPECT_EQ(front.process.parent.take_event()->kind, EventKind::fault);
  stream.passing().receive(front.other, Process::packet(0, 4), NodeStream::Clock::now());
  stream.passing().pump(NodeStream::Clock::now());
  const auto received = front.streams.take(number);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->packet.ranks, RankSet::of_range(0, 0));
  stream.update_child(front.one, front.process.children.at(front.one));
  EXPECT_FALSE(stream.flows().has_child(front.one)) << "it is not asked again";
}

TEST(NodeStreamTest, PacketsThatGoDownPassTheFilters) {
  Table front(Part::front_end);
  const std::uint32_t number = front.streams.open({.down = {{.name = "count"}}});
  EXPECT_TRUE(front.streams.send(number, Process::packet(0, 40)));
  const Flow& flow = front.streams.find(number)->flows().find_child(front.one)->flow;
  ASSERT_EQ(flow.waiting().packets, 1U);
  EXPECT_EQ(PacketView(flow.at(0)).number<std::uint64_t>(0), 1);
}

// --- sending --------------------------------------------------------------------------------------------

TEST(LinkSenderTest, ControlFramesAndPacketsLeaveInOneMessage) {
  Table front(Part::front_end);
  const std::uint32_t stream = front.streams.open({.members = RankSet::of_range(0, 0)});
  EXPECT_TRUE(front.streams.send(stream, Process::packet(0)));
  EXPECT_TRUE(front.streams.send(stream, Process::packet(0)));
  front.sender.flush();
  EXPECT_EQ(front.process.outlet.messages.size(), 1U);
  EXPECT_EQ(front.left(), (std::vector{FrameKind::open, FrameKind::data, FrameKind::data}));
}

TEST(LinkSenderTest, PacketsStayQueuedUntilTheirMessageWasSent) {
  Table front(Part::front_end);
  const std::uint32_t stream = front.streams.open({.members = RankSet::of_range(0, 0)});
  EXPECT_TRUE(front.streams.send(stream, Process::packet(0)));
  front.process.outlet.is_stuck = true;
  front.sender.flush();
  EXPECT_EQ(front.streams.find(stream)->flows().held_down().packets, 1U);
  front.process.outlet.is_stuck = false;
  front.sender.flush();
  EXPECT_EQ(front.streams.find(stream)->flows().held_down().packets, 0U);
  EXPECT_EQ(front.left(), (std::vector{FrameKind::open, FrameKind::data}));
}

TEST(LinkSenderTest, WavesWhoseTimeIsUpArePassedOn) {
  Table front(Part::front_end);
  EXPECT_TRUE(front.sender.due().is_never());
  const std::uint32_t number =
      front.streams.open({.synchronise = Synchronise::time_out, .time_out = std::chrono::nanoseconds(1)});
  NodeStream& stream = *front.streams.find(number);
  stream.passing().receive(front.one, Process::packet(0, 4), NodeStream::Clock::now());
  EXPECT_FALSE(front.streams.has_packets());
  EXPECT_TRUE(front.sender.due().passed());
  front.sender.flush();
  EXPECT_TRUE(front.streams.has_packets());
}

}  // namespace
}  // namespace eventspace::streams
