#include "scopes/streams/node.h"

#include <gtest/gtest.h>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "scopes/streams/processes/internal_end_point.h"

namespace eventspace::streams {
namespace {

using Number = Format<std::int64_t>;

class StreamNodeTest : public testing::Test {
 protected:
  StreamNodeTest() { LocalOutlet::pair(down, up); }

  /// The child reports that these end-points are below it.
  void bring(Child child, const RankSet& ranks) {
    std::vector<std::byte> message;
    Frame joined{.kind = FrameKind::joined, .packet = {.ranks = ranks}};
    append(message, joined);
    node.receive_from_child(child, message);
  }

  /// The parent opens a stream, or reports that it is open, with filters of this generation.
  void open(std::uint32_t stream, std::uint32_t generation = 1, const char* filter = "max") {
    from_parent(FrameKind::open, stream, generation, filter);
  }
  void change(std::uint32_t stream, std::uint32_t generation, const char* filter = "count") {
    from_parent(FrameKind::change, stream, generation, filter);
  }
  void from_parent(FrameKind kind, std::uint32_t stream, std::uint32_t generation, const char* filter) {
    Frame frame{.kind = kind, .stream = stream, .packet = encode(StreamOptions{.up = {{.name = filter}}})};
    frame.packet.generation = generation;
    std::vector<std::byte> message;
    append(message, frame);
    node.receive_from_parent(message);
  }

  const Packet body = Number::make(0, 6);
  LocalOutlet down;
  LocalOutlet up;
  StreamNode node{Part::internal};
};

TEST_F(StreamNodeTest, NoWaveWaitsForAProcessWhoseEndPointsAreElsewhereByNow) {
  const Child one = node.add_child(down, RankSet(), "", std::nullopt, "", Part::internal);
  bring(one, RankSet::of_range(1, 1));
  open(1);
  std::vector<std::byte> message;
  append(message, {.kind = FrameKind::left, .packet = {.ranks = RankSet::of_range(1, 1)}});
  node.receive_from_child(one, message);
  const Child other = node.add_child(down, RankSet::of_range(1, 1));
  message.clear();
  append(message, {.kind = FrameKind::data, .stream = 1, .packet = Number::make(0, 6)});
  node.receive_from_child(other, message);
  EXPECT_EQ(node.streams().counters(1).waves, 1U);
  EXPECT_EQ(node.streams().counters(1).partial_waves, 0U);
}

// --- packets that do not fit ----------------------------------------------------------------------------

TEST_F(StreamNodeTest, APacketOfAStreamThatIsNotOpenIsDroppedAndTheNextOneTaken) {
  const Child child = node.add_child(down, RankSet::of_range(0, 0));
  open(1);
  std::vector<std::byte> message;
  append(message, {.kind = FrameKind::data, .stream = 99, .packet = Number::make(0, 5)});
  append(message, {.kind = FrameKind::data, .stream = 1, .packet = Number::make(0, 6)});
  node.receive_from_child(child, message);
  EXPECT_FALSE(node.streams().has_stream(99));
  EXPECT_EQ(node.streams().counters(1).received, 1U);
  EXPECT_EQ(node.streams().counters(1).waves, 1U);
}

TEST_F(StreamNodeTest, AMessageWithAPacketOverTheLimitIsRefusedWhole) {
  const Child child = node.add_child(down, RankSet::of_range(0, 0));
  open(1);
  std::vector<std::byte> message;
  append(message, {.kind = FrameKind::data, .stream = 1, .packet = Number::make(0, 6)});
  const std::vector<std::byte> large(max_packet_bytes + 1);
  append(message, {.kind = FrameKind::data, .stream = 1, .packet = {.body = large}});
  node.receive_from_child(child, message);
  EXPECT_EQ(node.malformed(), 1U);
  EXPECT_EQ(node.streams().counters(1).received, 0U);
}

TEST_F(StreamNodeTest, APacketThatClaimsAFilterThatThereCannotBeIsRefused) {
  const Child child = node.add_child(down, RankSet::of_range(0, 0));
  Packet packet = Number::make(0, 6);
  packet.made_by = StreamOptions::max_filters + 1;
  std::vector<std::byte> message;
  append(message, {.kind = FrameKind::data, .stream = 1, .packet = packet});
  node.receive_from_child(child, message);
  EXPECT_EQ(node.malformed(), 1U);
}

TEST_F(StreamNodeTest, ABackEndCannotClaimWhatOnlyProcessesWithFiltersSay) {
  const Child child = node.add_child(down, RankSet::of_range(0, 0));
  open(1);
  for (Packet packet :
       {Packet{.lost = true}, Packet{.ends = true, .generation = 1}, Packet{.generation = 9}}) {
    packet.body = body.body;
    std::vector<std::byte> message;
    append(message, {.kind = FrameKind::data, .stream = 1, .packet = packet});
    node.receive_from_child(child, message);
  }
  EXPECT_EQ(node.streams().counters(1).received, 3U);
  EXPECT_EQ(node.streams().counters(1).waves, 1U) << "all three have the number 0, so two are late";
  EXPECT_EQ(node.streams().counters(1).late, 2U);
  EXPECT_EQ(node.streams().counters(1).sent, 1U);
}

// --- filters that are replaced --------------------------------------------------------------------------

TEST_F(StreamNodeTest, IfAProcessDoesNotAnswerTheOldFiltersStayAndWavesGoOn) {
  StreamNode front{Part::front_end};
  const Child child = front.add_child(down, RankSet::of_range(0, 0), "", std::nullopt, {}, Part::internal);
  const std::uint32_t stream = front.streams().open({.up = {{.name = "max"}}});
  EXPECT_TRUE(front.streams().begin_change(stream, {{.name = "count"}}, {}));
  EXPECT_THROW((void)front.streams().begin_change(stream, {{.name = "sum"}}, {}), ConfigurationError)
      << "one at a time";
  Packet packet = Number::make(0, 6);
  packet.generation = 1;
  std::vector<std::byte> message;
  append(message, {.kind = FrameKind::data, .stream = stream, .packet = packet});
  front.receive_from_child(child, message);
  EXPECT_FALSE(front.streams().take(stream)) << "waves wait";
  EXPECT_FALSE(front.streams().has_answers(stream));
  EXPECT_FALSE(front.streams().end_change(stream));
  const auto received = front.streams().take(stream);
  ASSERT_TRUE(received);
  EXPECT_EQ(PacketView(received->packet).number<std::int64_t>(0), 6) << "the greatest, not the count";
}

TEST_F(StreamNodeTest, AProcessThatIsGoneIsNotWaitedForToAnswer) {
  StreamNode front{Part::front_end};
  const Child child = front.add_child(down, RankSet::of_range(0, 0), "", std::nullopt, {}, Part::internal);
  const std::uint32_t stream = front.streams().open({});
  EXPECT_TRUE(front.streams().begin_change(stream, {{.name = "count"}}, {}));
  front.remove_child(child, "killed");
  EXPECT_TRUE(front.streams().has_answers(stream));
  EXPECT_EQ(front.streams().end_change(stream), 0U);
  EXPECT_EQ(front.streams().options(stream)->up.front().name, "count");
}

TEST_F(StreamNodeTest, MembersThatChangeMeanwhileStayChanged) {
  StreamNode front{Part::front_end};
  (void)front.add_child(down, RankSet::of_range(0, 3), "", std::nullopt, {}, Part::internal);
  const std::uint32_t stream = front.streams().open({});
  EXPECT_TRUE(front.streams().begin_change(stream, {{.name = "count"}}, {}));
  EXPECT_TRUE(front.streams().set_members(stream, RankSet::of_range(8, 9)));
  EXPECT_TRUE(front.streams().has_answers(stream)) << "the process takes no part any more";
  EXPECT_TRUE(front.streams().end_change(stream));
  EXPECT_EQ(front.streams().options(stream)->members, RankSet::of_range(8, 9));
}

// A process whose parent dies between `change` and `begin` learns the outcome from the next parent.
TEST_F(StreamNodeTest, AnotherParentSaysWhetherNewFiltersAreUsed) {
  (void)node.add_child(down, RankSet::of_range(0, 0));
  open(1);
  open(2);
  change(1, 2);
  change(2, 2);
  node.lose_parent();
  node.set_parent(&up, "ipc://ancestor");
  open(1, 2, "count");  // used
  open(2, 1, "max");    // dropped
  EXPECT_EQ(node.streams().options(1)->up.front().name, "count");
  EXPECT_EQ(node.streams().options(2)->up.front().name, "max");
  change(2, 2);
  open(2, 3, "sum");  // that change was dropped, and a later one is used
  EXPECT_EQ(node.streams().options(2)->up.front().name, "sum");
}

}  // namespace
}  // namespace eventspace::streams
