#include "scopes/streams/flow.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace eventspace::streams {
namespace {

constexpr std::uint64_t many_bytes = 1 << 20;
/// A window of this many packets.
Load packets(std::uint64_t count) { return {count, many_bytes}; }
/// A packet with the size that a flow counts; its bytes do not exist.
Packet packet(std::int32_t tag, std::size_t bytes = 0) {
  static const std::vector<std::byte> body(many_bytes);
  return {.tag = tag, .body = Bytes(body).first(bytes)};
}

TEST(FlowTest, ASenderHasAWindowsWorthUntilItHearsOfMore) {
  Flow flow(packets(2));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(flow.add(packet(i), WhenFull::wait), 0u);
  EXPECT_TRUE(flow.is_full());
  EXPECT_EQ(flow.sendable(), 2u);
  flow.sent(2);
  EXPECT_EQ(flow.sendable(), 0u);
  flow.hear(packets(3));
  flow.hear(packets(1));  // late
  EXPECT_EQ(flow.sendable(), 1u);
  EXPECT_EQ(flow.at(0).tag, 2);
}

TEST(FlowTest, AFullFlowDropsTheOldestOrTheNewest) {
  Flow oldest(packets(2));
  Flow newest(packets(2));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(oldest.add(packet(i), WhenFull::drop_oldest), i == 2 ? 1u : 0u);
    EXPECT_EQ(newest.add(packet(i), WhenFull::drop_newest), i == 2 ? 1u : 0u);
  }
  EXPECT_EQ(oldest.at(0).tag, 1);
  EXPECT_EQ(oldest.at(1).tag, 2);
  EXPECT_EQ(newest.at(1).tag, 1);
}

TEST(FlowTest, WhileItsLinkIsLostNothingIsSentOrGrantedAndOnTheNextOneWhatWaitsIs) {
  Flow flow(packets(2));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(flow.add(packet(i), WhenFull::wait), 0u);
  EXPECT_TRUE(flow.receive(0));
  EXPECT_TRUE(flow.receive(0));
  flow.suspend();
  EXPECT_EQ(flow.sendable(), 0u);
  EXPECT_FALSE(flow.grant({}));
  flow.restart();
  EXPECT_EQ(flow.sendable(), 2u);
  EXPECT_EQ(flow.at(0).tag, 0);
  EXPECT_TRUE(flow.receive(0)) << "a window's worth again";
}

TEST(FlowTest, AReceiverRefusesWhatExceedsItsGrant) {
  Flow flow(packets(2));
  EXPECT_TRUE(flow.receive(0));
  EXPECT_TRUE(flow.receive(0));
  EXPECT_FALSE(flow.receive(0));
  EXPECT_FALSE(flow.grant({2, 0})) << "both still take room";
  EXPECT_EQ(flow.grant({1, 0}), packets(3));
  EXPECT_TRUE(flow.receive(0));
  EXPECT_FALSE(flow.receive(0));
}

TEST(FlowTest, BytesAreBoundedAsPacketsAre) {
  Flow flow({100, 1000});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(flow.add(packet(i, 400), WhenFull::wait), 0u);
  EXPECT_TRUE(flow.is_full());
  EXPECT_EQ(flow.sendable(), 3u) << "as long as there is a byte of credit";
  flow.sent(3);
  EXPECT_EQ(flow.sendable(), 0u);
  EXPECT_FALSE(flow.is_full());
  flow.hear({100, 1200});
  EXPECT_EQ(flow.sendable(), 0u);
  flow.hear({100, 1201});
  EXPECT_EQ(flow.sendable(), 1u);
}

TEST(FlowTest, APacketThatIsLargerThanTheWindowGetsThrough) {
  Flow sender({4, 100});
  Flow receiver({4, 100});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sender.add(packet(i, 5000), WhenFull::wait), 0u);
    ASSERT_EQ(sender.sendable(), 1u) << i;
    sender.sent(1);
    EXPECT_TRUE(receiver.receive(5000));
    EXPECT_FALSE(receiver.receive(1)) << "there is no credit while it takes room";
    const auto total = receiver.grant({});
    ASSERT_TRUE(total);
    sender.hear(*total);
  }
}

TEST(FlowTest, ALargePacketDropsAsManyOldOnesAsItTakes) {
  Flow flow({100, 1000});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(flow.add(packet(i, 90), WhenFull::drop_oldest), 0u);
  EXPECT_EQ(flow.add(packet(10, 990), WhenFull::drop_oldest), 0u) << "there was a byte of room";
  EXPECT_EQ(flow.add(packet(11, 990), WhenFull::drop_oldest), 10u);
  EXPECT_EQ(flow.waiting(), (Load{2, 1980}));
}

// Two ends, with messages of any delay between them: no packet is refused or lost, and the receiver never
// holds more than a window, and one packet beyond its bytes.
TEST(FlowPropertyTest, AnyOrderOfStepsPassesAllPacketsWithinTheWindow) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  constexpr std::size_t largest = 300;
  for (std::uint32_t count = 1; count < 20; ++count) {
    const Load window{count, 1 + random() % 1000};
    Flow sender(window);
    Flow receiver(window);
    std::deque<Packet> link;
    std::deque<Load> grants;
    PacketQueue held;
    std::int32_t added = 0;
    std::int32_t used = 0;
    while (used < 200) {
      switch (random() % 5) {
        case 0:
          if (!sender.is_full()) (void)sender.add(packet(added++, random() % largest), WhenFull::wait);
          break;
        case 1:
          if (sender.sendable() == 0) break;
          link.push_back(sender.at(0));
          sender.sent(1);
          break;
        case 2:
          if (link.empty()) break;
          ASSERT_TRUE(receiver.receive(link.front().bytes()));
          held.add(link.front());
          link.pop_front();
          ASSERT_LE(held.load().packets, window.packets);
          ASSERT_LT(held.load().bytes, window.bytes + largest);
          break;
        case 3:
          if (held.empty()) break;
          ASSERT_EQ(held.take().tag, used++);
          if (const auto total = receiver.grant(held.load())) grants.push_back(*total);
          break;
        default:
          if (grants.empty()) break;
          sender.hear(grants.front());
          grants.pop_front();
      }
    }
  }
}

}  // namespace
}  // namespace eventspace::streams
