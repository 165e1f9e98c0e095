#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "paths/links/link.h"
#include "tests/paths/server_talk.h"

// Peers that are not EventSpace's: bytes that are not ZeroMQ's protocol, and ZeroMQ messages of other
// programs.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;

/// A plain TCP connection that sends something, waits until the other side closes or answers, and closes.
void say(std::uint16_t port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  (void)::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  std::array<char, 256> answer{};
  while (::recv(socket, answer.data(), answer.size(), 0) > 0) {
  }
  ::close(socket);
}

void ask_without_rest(std::uint16_t port, const std::atomic<bool>& over) {
  Network network;
  Link link(network, test::local_endpoint(port));
  while (!over) {
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(wire::Kind::ping, id), nullptr));
    EXPECT_TRUE(link.wait(id, Deadline::after(60s)));
  }
}

class ForeignPeerTest : public testing::Test {
 protected:
  [[nodiscard]] std::uint64_t counted() const {
    const wire::ServerReport report = server.report();
    std::uint64_t sum = report.handshakes_refused;
    for (const std::uint64_t count : report.refused) sum += count;
    return sum;
  }
  bool goes_on() {
    test::Client client;
    const auto reply = client.ask(port, 1, wire::encode(wire::Kind::ping, 1));
    return reply && reply->kind == wire::Kind::report;
  }

  std::uint16_t port{test::free_port()};
  test::ElementServer server{port};
};

TEST_F(ForeignPeerTest, AWebBrowserIsCounted) {
  say(port, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused == 1; }));
  EXPECT_TRUE(goes_on());
}

TEST_F(ForeignPeerTest, AConnectionThatSaysNothingIsCounted) {
  say(port, "");
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused == 1; }));
  EXPECT_TRUE(goes_on());
}

TEST_F(ForeignPeerTest, RandomBytesAreCountedEachTime) {
  std::mt19937 random(4711);
  for (std::uint64_t round = 1; round <= 40; ++round) {
    std::string noise(1 + random() % 400, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    // All first bytes that ZeroMQ treats differently: of its new greeting, and of the lengths in its old one.
    if (round % 2 == 0) noise[0] = static_cast<char>(round % 4 == 0 ? 0xff : 0x01);
    const std::uint64_t before = server.report().handshakes_refused;
    say(port, noise);
    EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused == before + 1; }))
        << "round " << round;
  }
  EXPECT_TRUE(goes_on());
}

TEST_F(ForeignPeerTest, RandomBytesAreCountedAndDoNotDisturbAGoodPeer) {
  test::Client client;
  Path path = client.path("channel", port);
  server.element("channel");
  ASSERT_EQ(path.write(test::number(1)), Status::ok);
  say(port, std::string("\xff\x00\x01garbage", 10));
  say(port, "more garbage");
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused == 2; }));
  EXPECT_EQ(test::told(path.take()), "1");
}

// To a server whose clock stands still, all requests seem to follow each other at once; three clients keep
// its queue from running empty. The server must check other events because of the time, not for lack of
// requests.
TEST(BusyServerTest, NoticesOtherEventsUnderContinuousRequests) {
  const std::uint16_t port = test::free_port();
  test::ElementServer server(port, {}, {}, {}, NodeClock([] { return std::uint64_t{1}; }, 1));
  std::atomic<bool> over{false};
  std::vector<std::jthread> askers;
  for (int i = 0; i < 3; ++i) askers.emplace_back([&] { ask_without_rest(port, over); });
  EXPECT_TRUE(eventually([&] { return server.report().requests > 1000; }));
  say(port, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused == 1; }));
  over = true;
}

TEST_F(ForeignPeerTest, AGoodPeerThatLeavesIsNotCounted) {
  EXPECT_TRUE(goes_on());
  EXPECT_TRUE(goes_on());
  say(port, "");
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused >= 1; }));
  EXPECT_EQ(server.report().handshakes_refused, 1u);
}

TEST_F(ForeignPeerTest, MessagesThatAreNotOursAreCounted) {
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(test::local_endpoint(port));
  socket.send(zmq::str_buffer(""), zmq::send_flags::none);
  socket.send(zmq::str_buffer("this is not a message of EventSpace"), zmq::send_flags::none);
  socket.send(zmq::str_buffer("several"), zmq::send_flags::sndmore);
  socket.send(zmq::str_buffer("frames"), zmq::send_flags::none);
  EXPECT_TRUE(eventually([&] { return server.refused(wire::Fault::foreign) == 1; }));
  EXPECT_TRUE(eventually([&] { return server.refused(wire::Fault::truncated) == 2; }));
  EXPECT_TRUE(goes_on());
}

TEST_F(ForeignPeerTest, APeerThatDoesNotReadLosesRepliesAndTheServerGoesOn) {
  const std::uint16_t other_port = test::free_port();
  test::ElementServer bounded(other_port, NetworkLimits{.queued_messages = 5});
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::rcvhwm, 1);
  socket.set(zmq::sockopt::sndtimeo, 1000);
  socket.connect(test::local_endpoint(other_port));
  // The reply repeats the long name in the request, which is of an unknown element.
  const test::Octets long_name(200'000, std::byte{'x'});
  std::uint64_t id = 0;
  EXPECT_TRUE(eventually([&] {
    (void)socket.send(zmq::buffer(wire::encode(++id, wire::OpenRequest{"element", long_name, {}})),
                      zmq::send_flags::none);
    return bounded.report().undeliverable > 0;
  }));
  test::Client client;
  bounded.element("channel");
  EXPECT_EQ(client.path("channel", other_port).write(test::number(1)), Status::ok);
}

}  // namespace
}  // namespace eventspace
