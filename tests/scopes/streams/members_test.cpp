#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/scopes/streams/network_talk.h"

// Changes of the members of streams that are in use.

namespace eventspace::streams {
namespace {

TEST(NetworkMembersTest, MembersThatChangeWhileInUseLoseNoWave) {
  test::Tool tool("2x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {{"concat", {}}}});
  const auto answers = [&](std::string_view members) {
    EXPECT_TRUE(tool.front_end.set_members(stream, *RankSet::parse(members)));
    tool.send(stream, 0);
    const Packet packet = tool.receive(stream);
    EXPECT_TRUE(packet.ranks.empty()) << members << ": " << packet.ranks.to_text() << " missing";
    std::vector<std::int64_t> numbers;
    for (const std::int64_t number : PacketView(packet).array<std::int64_t>(0)) numbers.push_back(number);
    return numbers;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(answers("0-3"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(answers("1-2"), ElementsAre(1, 2));
  EXPECT_THAT(answers("3"), ElementsAre(3));
  EXPECT_THAT(answers("0,3"), ElementsAre(0, 3));
  EXPECT_THAT(answers("0-3"), ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(tool.front_end.set_members(77, {})) << "there is no such stream";
}

TEST(NetworkMembersTest, AWaveThatWaitsForAMemberGoesOnWhenItIsNoneAnyMore) {
  test::Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    if (back_end.rank() != 2) test::add_rank(back_end, received);
  });
  const std::uint32_t stream = tool.front_end.open({.up = {{"count", {}}}});
  tool.send(stream, 0);
  EXPECT_FALSE(tool.front_end.receive(stream, Deadline::after(20ms))) << "rank 2 is silent";
  EXPECT_TRUE(tool.front_end.set_members(stream, *RankSet::parse("0-1,3")));
  const Packet packet = tool.receive(stream);
  EXPECT_EQ(PacketView(packet).number<std::uint64_t>(0), 3u);
  EXPECT_TRUE(packet.ranks.empty());
}

}  // namespace
}  // namespace eventspace::streams
