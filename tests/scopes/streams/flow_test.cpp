#include "scopes/streams/flow.h"

#include <gtest/gtest.h>

#include <random>

namespace eventspace::streams {
namespace {

Packet packet(std::int32_t tag) { return {.tag = tag}; }

TEST(FlowTest, ASenderHasAWindowsWorthUntilItHearsOfMore) {
  Flow flow(2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(flow.add(packet(i), WhenFull::wait), 0u);
  EXPECT_TRUE(flow.is_full());
  EXPECT_EQ(flow.sendable(), 2u);
  flow.sent(2);
  EXPECT_EQ(flow.sendable(), 0u);
  flow.hear(3);
  flow.hear(1);  // late
  EXPECT_EQ(flow.sendable(), 1u);
  EXPECT_EQ(flow.at(0).tag, 2);
}

TEST(FlowTest, AFullFlowDropsTheOldestOrTheNewest) {
  Flow oldest(2);
  Flow newest(2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(oldest.add(packet(i), WhenFull::drop_oldest), i == 2 ? 1u : 0u);
    EXPECT_EQ(newest.add(packet(i), WhenFull::drop_newest), i == 2 ? 1u : 0u);
  }
  EXPECT_EQ(oldest.at(0).tag, 1);
  EXPECT_EQ(oldest.at(1).tag, 2);
  EXPECT_EQ(newest.at(1).tag, 1);
}

TEST(FlowTest, WhileItsLinkIsLostNothingIsSentOrGrantedAndOnTheNextOneWhatWaitsIs) {
  Flow flow(2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(flow.add(packet(i), WhenFull::wait), 0u);
  EXPECT_TRUE(flow.receive());
  EXPECT_TRUE(flow.receive());
  flow.suspend();
  EXPECT_EQ(flow.sendable(), 0u);
  EXPECT_EQ(flow.grant(0), 0u);
  flow.restart();
  EXPECT_EQ(flow.sendable(), 2u);
  EXPECT_EQ(flow.at(0).tag, 0);
  EXPECT_TRUE(flow.receive()) << "a window's worth again";
}

TEST(FlowTest, AReceiverRefusesWhatExceedsItsGrant) {
  Flow flow(2);
  EXPECT_TRUE(flow.receive());
  EXPECT_TRUE(flow.receive());
  EXPECT_FALSE(flow.receive());
  EXPECT_EQ(flow.grant(2), 0u) << "both still take room";
  EXPECT_EQ(flow.grant(1), 3u);
  EXPECT_TRUE(flow.receive());
  EXPECT_FALSE(flow.receive());
}

// Two ends, with messages of any delay between them: nothing is refused, nothing is lost, and the receiver
// never holds more than a window.
TEST(FlowPropertyTest, AnyOrderOfStepsPassesAllPacketsWithinTheWindow) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (std::uint32_t window = 1; window < 20; ++window) {
    Flow sender(window);
    Flow receiver(window);
    std::deque<std::int32_t> link;
    std::deque<std::uint64_t> grants;
    std::deque<std::int32_t> held;
    std::int32_t added = 0;
    std::int32_t used = 0;
    while (used < 200) {
      switch (random() % 5) {
        case 0:
          if (!sender.is_full()) (void)sender.add(packet(added++), WhenFull::wait);
          break;
        case 1:
          if (sender.sendable() == 0) break;
          link.push_back(sender.at(0).tag);
          sender.sent(1);
          break;
        case 2:
          if (link.empty()) break;
          ASSERT_TRUE(receiver.receive());
          held.push_back(link.front());
          link.pop_front();
          ASSERT_LE(held.size(), window);
          break;
        case 3:
          if (held.empty()) break;
          ASSERT_EQ(held.front(), used++);
          held.pop_front();
          if (const std::uint64_t total = receiver.grant(held.size()); total != 0) grants.push_back(total);
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
