#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "paths/links/link.h"
#include "paths/sockets/input_poll.h"
#include "tests/paths/remote/raw_server.h"

namespace eventspace::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t ms = 1'000'000;

/// A link whose clock only the test moves, to a server whose clock is 5 s ahead and whose replies the test
/// sends.
class LinkClockTest : public testing::Test {
 protected:
  /// A request that the server answers at once, so that there is a connection and the clocks were compared.
  LinkClockTest() {
    const std::uint64_t id = send_timed();
    EXPECT_EQ(heard(), id);
    reply_after(0);
    EXPECT_TRUE(link.wait(id, Deadline::after(60s)));
  }

  std::uint64_t send_timed() {
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(wire::Kind::ping, id), nullptr));
    return id;
  }
  std::uint64_t send_untimed() {
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(id, wire::CloseRequest{}), nullptr));
    return id;
  }
  /// The number of the next request that the server receives; 0 if none.
  std::uint64_t heard() {
    const Deadline limit = Deadline::after(60s);
    while (!limit.passed()) {
      link.progress();
      if (server->hear()) return server->id();
      RawServer::wait_for_any({server.get()});
    }
    return 0;
  }
  /// Whether the server receives a request other than the marker that this sends last.
  bool hears_another() {
    link.progress();
    const std::uint64_t last = link.next_id();
    link.post(last, wire::encode(last, wire::CloseRequest{}));
    return heard() != last;
  }
  /// Waits until the link can read an event of its connection, and reads nothing.
  void wait_for_connection_event() {
    const Deadline limit = Deadline::after(60s);
    InputPoll poll;
    Link::Places places = link.add_to(poll, true);
    while (!poll.has_news(places.connection) && !limit.passed()) {
      poll.clear();
      places = link.add_to(poll, true);
      poll.wait(10ms);
    }
  }
  /// The server answers its last request; the link reads the reply that much later.
  void reply_after(std::uint64_t delay_ns) {
    const std::uint64_t there = now + 5000 * ms;
    wire::Message reply = wire::encode(server->id(), wire::ServerReport{}, wire::Timing::timed);
    wire::set_times(reply, {there, there + 1000, 99});
    now += 1000 + delay_ns;
    server->say(reply);
  }

  std::uint16_t port{free_port()};
  std::unique_ptr<RawServer> server{std::make_unique<RawServer>(port)};
  std::atomic<std::uint64_t> now{1000 * ms};
  Network network{{}, WhenLost::reconnect, NodeClock([this] { return now.load(); }, 7)};
  Link link{network, local_endpoint(port)};
};

TEST_F(LinkClockTest, ARequestSoonAfterAFastExchangeIsSentAtOnce) {
  now += 100 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id);
}

TEST_F(LinkClockTest, ARequestAfterAPauseWaitsUntilAPingWasFast) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  reply_after(ms);
  EXPECT_EQ(heard(), id - 3);
  reply_after(0);
  EXPECT_EQ(heard(), id);
  reply_after(2 * ms);
  EXPECT_TRUE(link.wait(id, Deadline::after(60s)));
  EXPECT_LT(link.clock_relation().error_ns, 10'000);
  EXPECT_EQ(link.counts().late_replies, 0u);
}

// The server was replaced by one with another version of the protocol. Its answer to the ping does not match
// any request.
TEST_F(LinkClockTest, ARequestThatWaitsForAPingIsRefusedByAServerOfAnotherVersionToo) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  server->answer_in_version(wire::protocol_version - 1);
  EXPECT_EQ(heard(), id);
  server->answer_in_version(wire::protocol_version - 1);
  const auto reply = link.wait(id, Deadline::after(60s));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->kind, wire::Kind::failed);
}

// Even if the request that waits has no waker.
TEST_F(LinkClockTest, ALoopReceivesRepliesToPings) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  reply_after(0);
  const Deadline limit = Deadline::after(60s);
  InputPoll poll;
  while (!server->hear() && !limit.passed()) {
    poll.clear();
    const Link::Places places = link.add_to(poll);
    poll.wait(10ms);
    link.progress(poll, places);
  }
  EXPECT_EQ(server->id(), id);
}

TEST_F(LinkClockTest, ItWaitsForFourPingsAtMost) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  for (std::uint64_t ping = id - 4; ping < id; ++ping) {
    EXPECT_EQ(heard(), ping);
    reply_after(ms / 2);
  }
  EXPECT_EQ(heard(), id);
  reply_after(9 * ms);
  EXPECT_TRUE(link.wait(id, Deadline::after(60s)));
  now += 100 * ms;
  const std::uint64_t next = send_timed();
  EXPECT_EQ(heard(), next) << "that was tried a moment ago";
}

TEST_F(LinkClockTest, ItWaitsForSomeMillisecondsAtMost) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  reply_after(9 * ms);
  EXPECT_EQ(heard(), id);
}

TEST_F(LinkClockTest, AnUntimedRequestDoesNotWait) {
  now += 300 * ms;
  const std::uint64_t lone = send_untimed();
  EXPECT_EQ(heard(), lone);
  server->answer(wire::Opened{});
  EXPECT_TRUE(link.wait(lone, Deadline::after(60s)));
  const std::uint64_t timed = send_timed();
  const std::uint64_t urgent = send_untimed();
  EXPECT_EQ(heard(), timed - 4);
  EXPECT_EQ(heard(), timed);
  EXPECT_EQ(heard(), urgent);
}

TEST_F(LinkClockTest, NoRequestWaitsWhileOthersAreUnderWay) {
  now += 100 * ms;
  const std::uint64_t first = send_timed();
  now += 300 * ms;
  const std::uint64_t second = send_timed();
  EXPECT_EQ(heard(), first);
  EXPECT_EQ(heard(), second);
}

TEST_F(LinkClockTest, LaterRequestsWaitToo) {
  now += 300 * ms;
  const std::uint64_t first = send_timed();
  const std::uint64_t second = send_timed();
  EXPECT_EQ(heard(), first - 4);
  reply_after(0);
  EXPECT_EQ(heard(), first);
  EXPECT_EQ(heard(), second);
}

TEST_F(LinkClockTest, AForgottenRequestIsNotSent) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  link.forget(id);
  reply_after(0);
  EXPECT_FALSE(hears_another());
}

TEST_F(LinkClockTest, NoPingFollowsOneWhoseRequestWasForgotten) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  link.forget(id);
  const std::uint64_t next = send_timed();
  reply_after(ms);
  EXPECT_EQ(heard(), next);
  EXPECT_FALSE(hears_another());
}

// The link mostly reads the reply and the end of the connection together; if not, it sends another ping
// before it notices the end.
TEST_F(LinkClockTest, AfterALossFollowingAPingTheRequestIsSentOnTheNextConnection) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  reply_after(ms);
  server.reset();
  server = std::make_unique<RawServer>(port);
  const std::uint64_t first = heard();
  EXPECT_EQ(first == id - 3 ? heard() : first, id);
  EXPECT_EQ(link.poll(id), std::nullopt) << "it was not told to be lost";
}

TEST_F(LinkClockTest, AfterALossDuringPingsTheRequestIsSentOnTheNextConnection) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  server.reset();
  server = std::make_unique<RawServer>(port);
  EXPECT_EQ(heard(), id);
  EXPECT_EQ(link.counts().lost_connections, 1u);
}

// The listener gets a message that arrived before the loss, when the link has noticed the loss.
TEST_F(LinkClockTest, ARequestThatAListenerSendsDuringALossIsSentOnTheNextConnection) {
  struct Asker final : LinkListener {
    explicit Asker(std::function<std::uint64_t()> send_request) : send(std::move(send_request)) {}
    bool on_push(Bytes /*body*/) override { return true; }
    void on_credit(std::uint64_t /*up_to*/) override { id = send(); }
    void on_loss() override {}
    std::function<std::uint64_t()> send;
    std::uint64_t id{0};
  } asker([this] { return send_timed(); });
  link.listen(5, &asker);
  now += 300 * ms;
  server->say(wire::encode(wire::Kind::credited, 1, wire::Credit{5, 9}));
  server.reset();
  wait_for_connection_event();
  link.progress();
  ASSERT_NE(asker.id, 0U);
  server = std::make_unique<RawServer>(port);
  EXPECT_EQ(heard(), asker.id);
}

// Within a moment after a reply, send() does not check the connection.
TEST_F(LinkClockTest, AWaitSoonAfterAReplyNoticesALostConnection) {
  server.reset();
  const std::uint64_t id = send_timed();
  const std::optional<Reply> reply = link.wait(id, Deadline::after(60s));
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->is_lost());
  EXPECT_TRUE(reply->sent);
  EXPECT_EQ(link.counts().lost_connections, 1u);
}

TEST_F(LinkClockTest, AMalformedReplyToAPingReleasesTheRequest) {
  now += 300 * ms;
  const std::uint64_t id = send_timed();
  EXPECT_EQ(heard(), id - 4);
  wire::Message reply = wire::encode(server->id(), wire::ServerReport{});
  reply.pop_back();
  server->say(reply);
  EXPECT_EQ(link.poll(id), std::nullopt);
  EXPECT_GE(heard(), id - 3);
  EXPECT_EQ(link.counts().malformed_replies, 1u);
}

}  // namespace
}  // namespace eventspace::test
