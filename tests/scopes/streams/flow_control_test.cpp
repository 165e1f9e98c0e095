#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include "tests/scopes/streams/network_talk.h"

// The queues of a network are bounded, in packets and in bytes.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Number;
using test::Tool;
using Bytes8 = Format<std::span<const std::uint8_t>>;

constexpr std::size_t large = 1u << 20;

Packet large_packet() {
  static const std::vector<std::uint8_t> content(large, 7);
  return Bytes8::make(1, content);
}

TEST(FlowControlTest, LargePacketsThatNobodyTakesAreBoundedInBytes) {
  Tool tool("1x1");
  std::atomic<int> sent{0};
  tool.attach(0, [&sent](BackEnd& back_end, const Received& received) {
    while (back_end.send(received.stream, large_packet(), Deadline::after(500ms))) ++sent;
  });
  ASSERT_TRUE(tool.front_end.wait_for(1, Deadline::after(60s)));
  const std::uint32_t stream = tool.front_end.open(
      {.synchronise = Synchronise::do_not_wait, .window = 1000, .window_bytes = 3 * large});
  tool.send(stream, 0);
  while (sent == 0) tool.front_end.serve(Deadline::after(5ms));
  tool.front_end.serve(Deadline::after(400ms));
  // Each of three nodes and two links holds up to a window and one packet.
  EXPECT_LE(sent, 5 * 4);
  EXPECT_EQ(tool.front_end.counters(stream).refused, 0u);
}

TEST(FlowControlTest, PacketsBeyondTheWindowPassOneByOne) {
  Tool tool("1x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    (void)back_end.answer(received, large_packet(), Deadline::after(60s));
  });
  const std::uint32_t stream = tool.front_end.open({.up = {{"concat", {}}}, .window_bytes = 1000});
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(tool.front_end.send(stream, large_packet(), Deadline::after(60s)));
    const Packet both = tool.receive(stream);
    EXPECT_GT(both.bytes(), 2 * large);
    EXPECT_TRUE(both.ranks.empty());
  }
  EXPECT_GT(tool.front_end.counters(stream).received_bytes, 40 * large);
  EXPECT_GT(tool.front_end.counters(stream).sent_bytes, 20 * large);
}

TEST(FlowControlTest, AFaultyWindowIsRefused) {
  Tool tool("flat:1");
  EXPECT_THROW((void)tool.front_end.open({.window_bytes = 0}), ConfigurationError);
  EXPECT_THROW((void)tool.front_end.open({.window_bytes = StreamOptions::max_window_bytes + 1}),
               ConfigurationError);
}

// A wave begins with its first packet, and takes as long as the slowest child needs.
TEST(FlowControlTest, TheTimeThatWavesAndFiltersTakeIsCounted) {
  Tool tool("flat:2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    if (back_end.rank() == 1) std::this_thread::sleep_for(50ms);
    (void)back_end.answer(received, Number::make(0, 1), Deadline::after(60s));
  });
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}, {"max", {}}}});
  tool.send(stream, 0);
  (void)tool.receive(stream);
  EXPECT_GE(tool.front_end.counters(stream).synchronising_ns, 20'000'000u);
  const NetworkReport report = tool.front_end.gather_report(Deadline::after(60s));
  ASSERT_FALSE(report.processes.empty());
  ASSERT_EQ(report.processes[0].streams.size(), 1u);
  const StreamReport& reported = report.processes[0].streams[0];
  ASSERT_EQ(reported.filters.size(), 2u);
  EXPECT_EQ(reported.filters[0].name, "sum");
  EXPECT_EQ(reported.filters[0].counters.taken, 2u);
  EXPECT_EQ(reported.filters[1].counters.taken, 1u) << "what the first has made";
  EXPECT_GT(reported.filtering_ns(), 0u);
}

}  // namespace
}  // namespace eventspace::streams
