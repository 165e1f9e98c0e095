#include "scopes/streams/filters/wave_inputs.h"

#include <gtest/gtest.h>

#include <vector>

#include <eventspace/packet.h>

// Packets that wait for their wave, and the end-points of the children.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;

class WaveInputsTest : public testing::Test {
 protected:
  WaveInputsTest() {
    inputs.join(0, RankSet::of_range(4, 5), {});
    inputs.join(1, RankSet::of_range(0, 1), {.from = 3});
  }
  void add(Child child, std::chrono::hours came, std::uint64_t wave = 0) {
    Packet packet = Format<std::int64_t>::make(0, 0);
    packet.wave = wave;
    inputs.add(*inputs.find(child), std::move(packet), WaveInputs::Clock::time_point(came));
  }
  [[nodiscard]] std::vector<Child> order() const {
    std::vector<Child> children;
    for (const auto& [key, input] : inputs.all()) children.push_back(key.second);
    return children;
  }

  WaveInputs inputs{true};
};

TEST_F(WaveInputsTest, ChildrenAreInTheOrderOfTheirRanksAlsoWhenTheseChange) {
  EXPECT_EQ(order(), (std::vector<Child>{1, 0}));
  inputs.join(1, RankSet::of_range(7, 7), {});
  EXPECT_EQ(order(), (std::vector<Child>{0, 1}));
  EXPECT_EQ(inputs.find(1)->from, 3U) << "it is the same child";
  EXPECT_EQ(inputs.find(2), nullptr);
}

TEST_F(WaveInputsTest, ChildrenThatJoinedLaterAreNotWaitedFor) {
  add(0, 1h);
  EXPECT_FALSE(inputs.have_all());
  EXPECT_TRUE(inputs.have_all_of(2));
  EXPECT_FALSE(inputs.have_all_of(3));
  add(1, 1h);
  EXPECT_TRUE(inputs.have_all());
}

TEST_F(WaveInputsTest, PacketsAreCountedUntilTheyAreTaken) {
  add(0, 2h, 8);
  add(0, 3h);
  EXPECT_EQ(inputs.queued(), 2U);
  EXPECT_EQ(inputs.held(0), 2U);
  const std::size_t bytes = inputs.held_bytes(0);
  EXPECT_EQ(*inputs.began(), WaveInputs::Clock::time_point(2h));
  EXPECT_EQ(inputs.pop(*inputs.find(0)).packet.wave, 8U);
  EXPECT_EQ(inputs.held_bytes(0), bytes / 2);
  EXPECT_EQ(inputs.next_of_back_ends(), 9U);
  inputs.look_when_began();
  EXPECT_EQ(*inputs.began(), WaveInputs::Clock::time_point(3h));
  (void)inputs.pop(*inputs.find(0));
  inputs.look_when_began();
  EXPECT_FALSE(inputs.began());
}

TEST_F(WaveInputsTest, AChildThatIsGoneStaysUntilItsLastPacketIsTaken) {
  add(0, 1h);
  inputs.leave(0);
  EXPECT_EQ(inputs.lost(), RankSet::of_range(4, 5));
  EXPECT_EQ(order(), (std::vector<Child>{1, 0}));
  (void)inputs.pop(*inputs.find(0));
  inputs.remove_gone();
  EXPECT_EQ(order(), (std::vector<Child>{1}));
  EXPECT_TRUE(inputs.unknown(RankSet::of_range(4, 5)).empty()) << "they were below a child";
  inputs.join(2, RankSet::of_range(4, 4), {});
  EXPECT_EQ(inputs.lost(), RankSet::of_range(5, 5));
}

TEST_F(WaveInputsTest, EndPointsThatAChildGetsAreMissingInItsQueuedPackets) {
  add(0, 1h);
  inputs.claim(0, RankSet::of_range(1, 1));
  EXPECT_EQ(inputs.find(0)->packets.front().packet.ranks, RankSet::of_range(1, 1));
  add(0, 1h);
  const WaveInputs::Input& input = *inputs.find(0);
  EXPECT_TRUE(WaveInputs::found_in(input, input.packets.front().packet).empty());
  EXPECT_EQ(WaveInputs::found_in(input, input.packets.back().packet), RankSet::of_range(1, 1));
}

}  // namespace
}  // namespace eventspace::streams
