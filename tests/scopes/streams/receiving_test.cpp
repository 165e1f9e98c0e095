#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/scopes/streams/network_talk.h"

// Packets for event loops and functions.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Number;
using test::number_of;
using test::Tool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Waits as the event loop of another program does.
bool is_readable(int descriptor, std::chrono::milliseconds longest) {
  pollfd waited{descriptor, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(longest.count())) == 1;
}

TEST(ReceivingTest, AnEventLoopWaitsForTheDescriptorOfAFrontEnd) {
  Tool tool("1x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}});
  const int descriptor = tool.front_end.descriptor();
  for (std::int64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(tool.front_end.send(stream, Number::make(0, i), Deadline::now()));
    std::optional<Packet> sum;
    while (!sum) {
      ASSERT_TRUE(is_readable(descriptor, 60s)) << i;
      sum = tool.front_end.receive(stream, Deadline::now());
    }
    EXPECT_EQ(number_of(*sum), 2 * i + 1);
  }
}

TEST(ReceivingTest, TheDescriptorIsReadableAsLongAsPacketsWait) {
  Tool tool("flat:1");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({});
  const int descriptor = tool.front_end.descriptor();
  for (std::int64_t i = 0; i < 3; ++i) tool.send(stream, i);
  int received = 0;
  while (received < 3) {
    ASSERT_TRUE(is_readable(descriptor, 60s)) << received;
    if (tool.front_end.receive(Deadline::now())) ++received;
  }
  // With an idle network it is readable occasionally, not permanently.
  int turns = 0;
  for (const Deadline end = Deadline::after(300ms); !end.passed(); ++turns) {
    (void)is_readable(descriptor, 100ms);
    tool.front_end.serve(Deadline::now());
  }
  EXPECT_LT(turns, 100);
}

/// Back-ends of one thread, which waits for all of them like an event loop, until their network ends.
void serve_back_ends(const std::vector<AttachPoint>& points) {
  std::vector<std::unique_ptr<BackEnd>> back_ends;
  std::vector<pollfd> waited;
  for (const AttachPoint& point : points) {
    back_ends.push_back(std::make_unique<BackEnd>(point, Deadline::after(60s)));
    waited.push_back({back_ends.back()->descriptor(), POLLIN, 0});
  }
  std::size_t ended = 0;
  while (ended < back_ends.size()) {
    (void)::poll(waited.data(), waited.size(), 1000);
    ended = 0;
    for (const auto& back_end : back_ends) {
      while (const auto received = back_end->receive(Deadline::now())) test::add_rank(*back_end, *received);
      ended += back_end->has_ended() ? 1 : 0;
    }
  }
}

TEST(ReceivingTest, AnEventLoopWaitsForSeveralBackEnds) {
  std::thread loop;
  {
    FrontEnd front_end(Topology::flat(3));
    loop = std::thread(serve_back_ends,
                       std::vector<AttachPoint>{front_end.attach_point(0), front_end.attach_point(1),
                                                front_end.attach_point(2)});
    EXPECT_TRUE(front_end.wait_for(3, Deadline::after(60s)));
    const std::uint32_t stream = front_end.open({.up = {{"sum", {}}}});
    for (std::int64_t i = 0; i < 20; ++i) {
      EXPECT_TRUE(front_end.send(stream, Number::make(0, i), Deadline::after(60s)));
      const auto sum = front_end.receive(stream, Deadline::after(60s));
      EXPECT_EQ(sum ? number_of(*sum) : -1, 3 * i + 3);
    }
  }
  loop.join();  // the network has ended
}

TEST(ReceivingTest, AFunctionIsGivenThePacketsOfItsStreamAndAnotherOneThoseOfAllOthers) {
  Tool tool("1x2");
  tool.attach();
  const std::uint32_t own = tool.front_end.open({.up = {{"sum", {}}}});
  const std::uint32_t other = tool.front_end.open({.up = {{"max", {}}}});
  std::vector<std::int64_t> sums;
  std::vector<std::int64_t> others;
  tool.front_end.on_packet(own, [&](const Received& received) {
    sums.push_back(number_of(received.packet));
    if (sums.size() < 3) tool.send(own, 10);  // it may call the front-end
  });
  tool.front_end.on_packet([&](const Received& received) { others.push_back(number_of(received.packet)); });
  tool.send(own, 0);
  tool.send(other, 4);
  for (const Deadline end = Deadline::after(60s); (sums.size() < 3 || others.empty()) && !end.passed();)
    tool.front_end.serve(Deadline::after(1ms));
  EXPECT_THAT(sums, ElementsAre(1, 21, 21));
  EXPECT_THAT(others, ElementsAre(5));
  tool.front_end.on_packet(own, nullptr);
  tool.front_end.on_packet(nullptr);
  tool.send(own, 1);
  EXPECT_EQ(number_of(tool.receive(own)), 3) << "packets wait again";
}

TEST(ReceivingTest, AFunctionThatThrowsIsToldAndEndsNothingElse) {
  Tool tool("flat:1");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({});
  int calls = 0;
  tool.front_end.on_packet(stream, [&](const Received&) {
    if (++calls == 1) throw std::runtime_error("no such thing");
  });
  tool.send(stream, 1);
  tool.send(stream, 2);
  for (const Deadline end = Deadline::after(60s); calls < 2 && !end.passed();)
    tool.front_end.serve(Deadline::after(1ms));
  EXPECT_EQ(calls, 2);
  const Event event = tool.wait_for(EventKind::fault);
  EXPECT_THAT(event.text,
              HasSubstr("stream 1, wave 0: a function that was given the packet has thrown: no such thing"));
}

TEST(ReceivingTest, AFunctionOfABackEndThatThrowsIsToldToTheFrontEnd) {
  Tool tool("1x1");
  std::atomic<bool> stops{false};
  std::thread back_end([&, point = tool.front_end.attach_point(0)] {
    BackEnd mine(point, Deadline::after(60s));
    mine.on_packet([&](const Received& received) {
      if (number_of(received.packet) == 1) throw std::runtime_error("one is too small");
      test::add_rank(mine, received);
    });
    while (!stops) mine.serve(Deadline::after(5ms));
  });
  ASSERT_TRUE(tool.front_end.wait_for(1, Deadline::after(60s)));
  const std::uint32_t stream = tool.front_end.open({});
  tool.send(stream, 1);
  tool.send(stream, 2);
  EXPECT_EQ(number_of(tool.receive(stream)), 2);
  EXPECT_THAT(tool.wait_for(EventKind::fault).text,
              HasSubstr("back-end 0: a function that was given the packet has thrown: one is too small"));
  stops = true;
  back_end.join();
}

TEST(ReceivingTest, ABackEndReceivesFromOneStream) {
  Tool tool("flat:1");
  std::vector<std::int64_t> order;
  std::atomic<bool> done{false};
  std::thread back_end([&, point = tool.front_end.attach_point(0)] {
    BackEnd mine(point, Deadline::after(60s));
    const auto second = mine.receive(2, Deadline::after(60s));
    const auto first = mine.receive(1, Deadline::after(60s));
    if (second && first) order = {number_of(*second), number_of(*first)};
    if (mine.receive(1, Deadline::now())) order.push_back(-1);
    done = true;
  });
  ASSERT_TRUE(tool.front_end.wait_for(1, Deadline::after(60s)));
  const std::uint32_t one = tool.front_end.open({});
  const std::uint32_t two = tool.front_end.open({});
  tool.send(one, 1);
  tool.send(two, 2);
  while (!done) tool.front_end.serve(Deadline::after(1ms));
  back_end.join();
  EXPECT_THAT(order, ElementsAre(2, 1));
}

}  // namespace
}  // namespace eventspace::streams
