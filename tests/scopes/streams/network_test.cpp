#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <set>

#include <eventspace/error.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "tests/error_text.h"
#include "tests/paths/links/free_port.h"
#include "tests/scopes/streams/network_talk.h"

// Whole networks, in one process, over local sockets.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Number;
using test::number_of;
using test::Tool;
using ::testing::HasSubstr;

class TreeNetworkTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Trees, TreeNetworkTest,
                         testing::Values("flat:1", "flat:6", "2x3", "1x1x4", "2x2x2", "2@8"));

TEST_P(TreeNetworkTest, ABroadcastIsAnsweredByOneReduction) {
  Tool tool(GetParam());
  tool.attach();
  const auto back_ends = static_cast<std::int64_t>(tool.front_end.topology().back_ends());
  EXPECT_EQ(tool.front_end.ranks(), RankSet::of_range(0, static_cast<RankSet::Rank>(back_ends - 1)));
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}});
  for (std::int64_t wave = 0; wave < 50; ++wave) {
    tool.send(stream, 100 * wave);
    const Packet sum = tool.receive(stream);
    EXPECT_EQ(number_of(sum), back_ends * 100 * wave + back_ends * (back_ends - 1) / 2);
    EXPECT_TRUE(sum.ranks.empty()) << sum.ranks.to_text() << " missing";
    EXPECT_EQ(sum.wave, static_cast<std::uint64_t>(wave));
    EXPECT_EQ(sum.tag, 1);
  }
}

TEST_P(TreeNetworkTest, MoreWavesThanWindowsAreAllAccountedForInOrder) {
  Tool tool(GetParam());
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {{"max", {}}}, .window = 4});
  constexpr std::int64_t waves = 500;
  const auto most = static_cast<std::int64_t>(tool.front_end.topology().back_ends()) - 1;
  std::int64_t came = 0;
  for (std::int64_t sent = 0; came < waves;) {
    if (sent < waves && tool.front_end.send(stream, Number::make(0, sent), Deadline::now())) ++sent;
    while (const auto packet =
               tool.front_end.receive(stream, sent < waves ? Deadline::now() : Deadline::after(60s))) {
      EXPECT_EQ(number_of(*packet), came + most);
      EXPECT_TRUE(packet->ranks.empty());
      if (++came == waves) break;
    }
  }
  EXPECT_EQ(tool.front_end.counters(stream).waves, static_cast<std::uint64_t>(waves));
  EXPECT_EQ(tool.front_end.counters(stream).refused, 0u);
  EXPECT_EQ(tool.front_end.counters(stream).dropped, 0u);
}

TEST(NetworkTest, AStreamReachesItsMembersAndAPacketItsEndPoints) {
  Tool tool("2x3");
  tool.attach();
  const std::uint32_t some =
      tool.front_end.open({.members = *RankSet::parse("1,4-5"), .up = {{"concat", {}}}});
  const std::uint32_t each = tool.front_end.open({.synchronise = Synchronise::do_not_wait});
  tool.send(some, 10);
  const Packet answers = tool.receive(some);
  EXPECT_THAT(PacketView(answers).array<std::int64_t>(0), testing::ElementsAre(11, 14, 15));
  Packet packet = Number::make(0, 0);
  packet.ranks = *RankSet::parse("2-3");
  ASSERT_TRUE(tool.front_end.send(each, packet, Deadline::after(60s)));
  std::set<std::int64_t> ranks;
  for (int i = 0; i < 2; ++i) ranks.insert(number_of(tool.receive(each)));
  EXPECT_EQ(ranks, (std::set<std::int64_t>{2, 3}));
}

TEST(NetworkTest, StreamsAreIndependentAndReceivedInTurn) {
  Tool tool("2x2");
  tool.attach();
  const std::uint32_t sum = tool.front_end.open({.up = {{"sum", {}}}});
  const std::uint32_t least = tool.front_end.open({.up = {{"min", {}}}});
  tool.send(least, 7);
  tool.send(sum, 1);
  tool.send(sum, 2);
  std::map<std::uint32_t, std::vector<std::int64_t>> came;
  for (int i = 0; i < 3; ++i) {
    const auto received = tool.front_end.receive(Deadline::after(60s));
    ASSERT_TRUE(received);
    came[received->stream].push_back(number_of(received->packet));
  }
  EXPECT_THAT(came[sum], testing::ElementsAre(10, 14));
  EXPECT_THAT(came[least], testing::ElementsAre(7));
  tool.front_end.close(least);
  EXPECT_FALSE(tool.front_end.send(least, Number::make(0, 1), Deadline::after(60s))) << "it is closed";
  EXPECT_FALSE(tool.front_end.receive(least, Deadline::after(60s)));
  tool.send(sum, 3);
  EXPECT_EQ(number_of(tool.receive(sum)), 18);
}

TEST(NetworkTest, ReceivesWithADeadlineEndThereAndWithoutBlockingAtOnce) {
  Tool tool("flat:1");
  tool.attach([](BackEnd&, const Received&) {});
  const std::uint32_t stream = tool.front_end.open({});
  EXPECT_FALSE(tool.front_end.receive(stream, Deadline::now()));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(tool.front_end.receive(stream, Deadline::after(20ms)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

TEST(NetworkTest, LargeArraysGoThroughWhole) {
  Tool tool("1x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    (void)back_end.send(received.stream, received.packet, Deadline::after(60s));
  });
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}, .window = 2});
  const std::vector<double> numbers(300'000, 0.5);
  using Array = Format<std::span<const double>>;
  for (int wave = 0; wave < 5; ++wave)
    ASSERT_TRUE(tool.front_end.send(stream, Array::make(0, numbers), Deadline::after(60s)));
  for (int wave = 0; wave < 5; ++wave) {
    const Packet packet = tool.receive(stream);
    const PacketView sums(packet);
    EXPECT_EQ(sums.array<double>(0).size(), numbers.size());
    EXPECT_EQ(sums.array<double>(0).back(), 1.0);
  }
}

TEST(NetworkTest, MemoryIsFlatInTheNumberOfPackets) {
  Tool tool("1x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}, .window = 16});
  const auto run = [&](std::int64_t waves) {
    for (std::int64_t sent = 0, came = 0; came < waves; ++came) {
      for (; sent < waves && sent < came + 16; ++sent) tool.send(stream, sent);
      EXPECT_EQ(number_of(tool.receive(stream)), 2 * came + 1);
    }
  };
  run(500);
  const std::size_t before = ::mallinfo2().uordblks;
  run(3000);
  const std::size_t after = ::mallinfo2().uordblks;
  constexpr std::size_t windows = 512u << 10;  // can be queued now, and could not before
  EXPECT_LT(after, before + windows) << "3000 packets of 100 bytes and more would be as much on each link";
}

TEST(NetworkTest, BackEndsMaySendUnaskedOnceTheyKnowTheStream) {
  Tool tool("2x2");
  for (RankSet::Rank rank = 0; rank < 4; ++rank) {
    Tool::Running& running = tool.back_ends[rank];
    running.thread = std::thread([point = tool.front_end.attach_point(rank), &running] {
      BackEnd back_end(point, Deadline::after(60s));
      EXPECT_TRUE(back_end.wait_for(1, Deadline::after(60s)));
      for (int i = 0; i < 300; ++i) EXPECT_TRUE(back_end.send(1, Number::make(0, i), Deadline::after(60s)));
      while (!running.stops) back_end.serve(Deadline::after(5ms));
    });
  }
  ASSERT_TRUE(tool.front_end.wait_for(4, Deadline::after(60s)));
  ASSERT_EQ(tool.front_end.open({.up = {{"count", {}}}, .window = 8}), 1u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(PacketView(tool.receive(1)).number<std::uint64_t>(0), 4u);
}

// --- failures -------------------------------------------------------------------------------------------

TEST(NetworkFailureTest, WavesGoOnWithoutABackEndThatHasEndedAndSaySo) {
  Tool tool("2x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {{"count", {}}}});
  tool.send(stream, 0);
  EXPECT_TRUE(tool.receive(stream).ranks.empty());
  tool.end(2);
  EXPECT_EQ(tool.wait_for(EventKind::left).ranks.to_text(), "2");
  tool.send(stream, 0);
  const Packet without = tool.receive(stream);
  EXPECT_EQ(without.ranks.to_text(), "2");
  EXPECT_EQ(PacketView(without).number<std::uint64_t>(0), 3u);
  tool.back_ends.erase(2);
  tool.attach(2);
  ASSERT_TRUE(tool.front_end.wait_for(4, Deadline::after(60s))) << "it may come back";
  tool.send(stream, 0);
  const Packet again = tool.receive(stream);
  EXPECT_TRUE(again.ranks.empty());
  EXPECT_EQ(PacketView(again).number<std::uint64_t>(0), 4u);
}

TEST(NetworkFailureTest, ABackEndThatIsSilentDelaysAWaveByTheTimeOut) {
  Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    if (back_end.rank() != 1) test::add_rank(back_end, received);
  });
  const std::uint32_t stream =
      tool.front_end.open({.synchronise = Synchronise::time_out, .time_out = 100ms, .up = {{"sum", {}}}});
  // A busy machine may make other back-ends late, too, but not each time.
  std::string missing;
  for (const Deadline end = Deadline::after(60s); missing != "1" && !end.passed();) {
    tool.send(stream, 0);
    const Packet sum = tool.receive(stream);
    missing = sum.ranks.to_text();
    EXPECT_TRUE(sum.ranks.contains(1)) << missing;
    if (missing == "1") {
      EXPECT_EQ(number_of(sum), 5);
    }
  }
  EXPECT_EQ(missing, "1");
}

TEST(NetworkFailureTest, TheEndOfTheFrontEndEndsEverything) {
  auto front_end = std::make_unique<FrontEnd>(Topology::of_text("2x2x2"));
  std::vector<std::thread> back_ends;
  std::atomic<int> attached{0};
  for (RankSet::Rank rank = 0; rank < 8; ++rank) {
    back_ends.emplace_back([point = front_end->attach_point(rank), &attached] {
      BackEnd back_end(point, Deadline::after(60s));
      ++attached;
      back_end.serve(Deadline::never());
      EXPECT_TRUE(back_end.has_ended());
    });
  }
  const Deadline end = Deadline::after(60s);
  while (attached < 8 && !end.passed()) front_end->serve(Deadline::after(5ms));
  front_end.reset();
  for (std::thread& back_end : back_ends) back_end.join();
}

TEST(NetworkFailureTest, ABackEndNoticesTheEndOfItsNetwork) {
  auto front_end = std::make_unique<FrontEnd>(Topology::of_text("1x1"));
  std::atomic<bool> attached{false};
  std::thread thread([&, point = front_end->attach_point(0)] {
    BackEnd back_end(point, Deadline::after(60s));
    attached = true;
    EXPECT_FALSE(back_end.receive(Deadline::after(60s)));
    EXPECT_TRUE(back_end.has_ended());
    EXPECT_FALSE(back_end.send(1, Number::make(0, 1), Deadline::after(60s)));
  });
  const Deadline end = Deadline::after(60s);
  while (!attached && !end.passed()) front_end->serve(Deadline::after(5ms));
  EXPECT_TRUE(attached);
  front_end.reset();
  thread.join();
}

// The internal process is started by the tool itself, and its child is connected over TCP. Rank 4 is not in
// the front-end's topology, so the front-end does not adopt it.
TEST(NetworkFailureTest, AChildThatNoProcessAboveAdoptsEndsAndWavesGoOnWithoutIt) {
  Tool tool("flat:1");
  tool.attach();
  const AttachPoint above = tool.front_end.attach_point(0);
  const AttachPoint below{above.network, fmt::format("tcp://127.0.0.1:{}", eventspace::test::free_port()), 4};
  auto internal =
      std::make_unique<InternalProcess>(InternalProcess::Config{.parent = {above.network, above.endpoint, {}},
                                                                .endpoint = below.endpoint,
                                                                .places = RankSet::of_range(4, 5)});
  internal->start();
  std::atomic<bool> ended{false};
  std::thread back_end([&] {
    BackEnd child(below, Deadline::after(60s));
    while (const auto received = child.receive(Deadline::never())) test::add_rank(child, *received);
    EXPECT_TRUE(child.has_ended());
    ended = true;
  });
  ASSERT_TRUE(tool.front_end.wait_for(2, Deadline::after(60s)));
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}});
  tool.send(stream, 1);
  EXPECT_EQ(number_of(tool.receive(stream)), 6);
  internal.reset();
  EXPECT_EQ(tool.wait_for(EventKind::left).ranks.to_text(), "4");
  for (const Deadline end = Deadline::after(60s); !ended && !end.passed();)
    tool.front_end.serve(Deadline::after(5ms));
  back_end.join();
  tool.send(stream, 1);
  const Packet rest = tool.receive(stream);
  EXPECT_EQ(number_of(rest), 1);
  EXPECT_EQ(rest.ranks.to_text(), "4");
}

TEST(NetworkFailureTest, AFilterThatRefusesAWaveIsAFaultOfTheStreamWhichGoesOn) {
  Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    const bool odd = number_of(received.packet) == 1 && back_end.rank() == 3;
    const Packet answer = odd ? Format<double>::make(0, 1) : Number::make(0, 1);
    (void)back_end.send(received.stream, answer, Deadline::after(60s));
  });
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}});
  tool.send(stream, 1);
  tool.send(stream, 2);
  const Packet first = tool.receive(stream);
  const Event fault = tool.wait_for(EventKind::fault);
  EXPECT_THAT(
      fault.text,
      HasSubstr("stream 1, wave 0: process 2: value 0 of a wave's packets is i64 of 1 numbers and f64"));
  EXPECT_EQ(first.ranks.to_text(), "2-3") << "the process above goes on with the other half";
  const Packet second = tool.receive(stream);
  EXPECT_EQ(number_of(second), 4);
  EXPECT_TRUE(second.ranks.empty());
}

TEST(NetworkFailureTest, UnknownFiltersAndOptionsAndPacketsOutOfRangeAreRefusedAtOnce) {
  FrontEnd front_end(Topology::flat(1));
  EXPECT_THROW((void)front_end.open({.up = {{"summ", {}}}}), ConfigurationError);
  EXPECT_THROW((void)front_end.open({.window = 0}), ConfigurationError);
  const std::vector<std::byte> large(max_packet_bytes + 1);
  EXPECT_THROW((void)front_end.send(front_end.open({}), {.body = large}, Deadline::now()), PacketError);
  EXPECT_THROW((void)front_end.open({.up = std::vector<FilterUse>(17, {"sum", {}})}), ConfigurationError);
}

std::string refusal(const AttachPoint& point) {
  return eventspace::test::error_text<EnvironmentError>(
      [&] { const BackEnd back_end(point, Deadline::after(60s)); });
}

TEST(NetworkFailureTest, ABackEndThatDoesNotBelongHereIsToldWhy) {
  Tool tool("flat:2");
  tool.attach();
  std::atomic<bool> done{false};
  std::thread asking([&done, point = tool.front_end.attach_point(0)]() mutable {
    point.rank = 7;
    EXPECT_THAT(refusal(point), HasSubstr("rank 7 is not one of those that attach here: 0-1"));
    point.rank.reset();
    EXPECT_THAT(refusal(point), HasSubstr("all ranks that attach here are taken: 0-1"));
    point.network = "other";
    EXPECT_THAT(refusal(point), HasSubstr("not 'other'"));
    done = true;
  });
  while (!done) tool.front_end.serve(Deadline::after(5ms));
  asking.join();
}

TEST(NetworkFailureTest, ARankIsAttachedOnce) {
  Tool tool("flat:1");
  tool.attach();
  std::atomic<bool> done{false};
  std::thread asking([&done, point = tool.front_end.attach_point(0)] {
    EXPECT_THAT(refusal(point), HasSubstr("is alive"));
    done = true;
  });
  while (!done) tool.front_end.serve(Deadline::after(5ms));
  asking.join();
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}});
  tool.send(stream, 5);
  EXPECT_EQ(number_of(tool.receive(stream)), 5) << "the one that was first still works";
}

TEST(NetworkTest, WithoutAWishABackEndGetsAFreeRank) {
  Tool tool("flat:3");
  std::atomic<int> sum{0};
  for (RankSet::Rank i = 0; i < 3; ++i) {
    Tool::Running& running = tool.back_ends[i];
    running.thread = std::thread([point = tool.front_end.attach_point(0), &running, &sum]() mutable {
      point.rank.reset();
      BackEnd back_end(point, Deadline::after(60s));
      sum += 1 << back_end.rank();
      while (!running.stops) back_end.serve(Deadline::after(5ms));
    });
  }
  EXPECT_TRUE(tool.front_end.wait_for(3, Deadline::after(60s)));
  const Deadline end = Deadline::after(60s);
  while (sum != 7 && !end.passed()) tool.front_end.serve(Deadline::after(5ms));
  EXPECT_EQ(sum, 7);
}

TEST(NetworkFailureTest, ASlowBackEndLosesPacketsOnlyIfTheStreamSaysSoAndTheyAreCounted) {
  std::atomic<bool> goes{false};
  Tool tool("1x2");
  std::atomic<std::int64_t> seen{0};
  tool.attach([&](BackEnd& back_end, const Received&) {
    while (back_end.rank() == 1 && !goes) std::this_thread::yield();
    if (back_end.rank() == 1) ++seen;
  });
  const std::uint32_t stream = tool.front_end.open({.when_full = WhenFull::drop_oldest, .window = 4});
  constexpr std::int64_t packets = 400;
  for (std::int64_t i = 0; i < packets; ++i) tool.send(stream, i);
  const Deadline end = Deadline::after(60s);
  while (tool.front_end.counters(stream).dropped == 0 && !end.passed())
    tool.front_end.serve(Deadline::after(5ms));
  goes = true;
  while (seen + static_cast<std::int64_t>(tool.front_end.counters(stream).dropped) < packets && !end.passed())
    tool.front_end.serve(Deadline::after(5ms));
  EXPECT_GT(tool.front_end.counters(stream).dropped, 0u);
}

TEST(NetworkFailureTest, PacketsThatABackEndDropsItselfAreInTheCountersOfTheFrontEnd) {
  for (const char* const shape : {"flat:1", "1x1x1"}) {
    Tool tool(shape);
    constexpr std::int64_t packets = 1000;
    std::atomic<bool> has_sent{false};
    tool.attach([&](BackEnd& back_end, const Received& received) {
      for (std::int64_t i = 0; i < packets; ++i)
        (void)back_end.send(received.stream, Number::make(1, i), Deadline::never());
      has_sent = true;
    });
    const std::uint32_t stream = tool.front_end.open(
        {.synchronise = Synchronise::do_not_wait, .when_full = WhenFull::drop_oldest, .window = 4});
    tool.send(stream, 0);
    const Deadline end = Deadline::after(60s);
    while (!has_sent && !end.passed()) tool.front_end.serve(Deadline::after(5ms));  // takes no packets
    std::int64_t received = 0;
    const auto dropped = [&] { return static_cast<std::int64_t>(tool.front_end.counters(stream).dropped); };
    while (received + dropped() < packets && !end.passed())
      received += tool.front_end.receive(stream, Deadline::after(5ms)) ? 1 : 0;
    EXPECT_EQ(received + dropped(), packets) << shape;
    EXPECT_GT(dropped(), 900) << shape;
  }
}

TEST(NetworkFailureTest, ABackEndThatIsTooSlowIsDisconnectedIfTheStreamSaysSoAndTheOthersMissNothing) {
  std::atomic<bool> goes{false};
  std::atomic<std::int64_t> seen{0};
  Tool tool("1x2");
  tool.attach([&](BackEnd& back_end, const Received&) {
    while (back_end.rank() == 1 && !goes) std::this_thread::yield();
    if (back_end.rank() == 0) ++seen;
  });
  const std::uint32_t stream = tool.front_end.open({.when_full = WhenFull::disconnect, .window = 4});
  const Deadline end = Deadline::after(60s);
  std::int64_t sent = 0;
  std::string why;
  while (why.empty() && !end.passed()) {
    tool.send(stream, ++sent);
    // One at a time, so that the other one is not slow.
    while (seen < sent && !end.passed()) tool.front_end.serve(Deadline::after(1ms));
    while (const auto event = tool.front_end.next_event()) {
      if (event->kind != EventKind::left) continue;
      EXPECT_EQ(event->ranks.to_text(), "1");
      why = event->text;
    }
  }
  EXPECT_THAT(why, HasSubstr("disconnected: too slow for stream 1"));
  EXPECT_EQ(tool.front_end.ranks().to_text(), "0");
  goes = true;
  for (auto& running = tool.back_ends[1]; !running.is_done && !end.passed();)
    tool.front_end.serve(Deadline::after(1ms));
  EXPECT_TRUE(tool.back_ends[1].is_done) << "it has noticed its end";
  tool.send(stream, ++sent);
  while (seen < sent && !end.passed()) tool.front_end.serve(Deadline::after(1ms));
  EXPECT_EQ(seen, sent);
}

TEST(NetworkFailureTest, WithoutRoomASendWaitsUntilItsDeadline) {
  std::atomic<bool> goes{false};
  Tool tool("flat:1");
  tool.attach([&](BackEnd&, const Received&) {
    while (!goes) std::this_thread::yield();
  });
  const std::uint32_t stream = tool.front_end.open({.window = 2});
  int sent = 0;
  while (tool.front_end.send(stream, Number::make(0, sent), Deadline::after(20ms))) ++sent;
  EXPECT_LE(sent, 6) << "a window here, a window there, and one that is being handled";
  goes = true;
  EXPECT_TRUE(tool.front_end.send(stream, Number::make(0, sent), Deadline::after(60s)));
}

}  // namespace
}  // namespace eventspace::streams
