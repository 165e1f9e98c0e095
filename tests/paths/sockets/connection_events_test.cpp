#include "paths/sockets/connection_events.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <map>

#include "tests/paths/server_talk.h"

namespace eventspace {
namespace {

using test::eventually;

/// A listening socket whose connections are watched.
class ConnectionEventsTest : public testing::Test {
 protected:
  ConnectionEventsTest() { router.zmq().bind(test::local_endpoint(port)); }

  /// Connects and closes without sending; returns when the listener has also closed the connection.
  void visit() const {
    const int visitor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(visitor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::shutdown(visitor, SHUT_WR);
    std::array<char, 256> greeting{};
    while (::recv(visitor, greeting.data(), greeting.size(), 0) > 0) {
    }
    ::close(visitor);
  }
  /// Whether a message of a new peer arrives.
  bool is_reachable() {
    zmq::socket_t dealer(context, zmq::socket_type::dealer);
    dealer.set(zmq::sockopt::linger, 0);
    dealer.connect(test::local_endpoint(port));
    dealer.send(zmq::str_buffer("hello"), zmq::send_flags::none);
    router.zmq().set(zmq::sockopt::rcvtimeo, 60'000);
    zmq::message_t frame;
    return router.zmq().recv(frame).has_value();
  }
  /// Waits for `ends` ends of connections and returns how many events of each kind came since the last call.
  std::map<int, int> events_until(int ends) {
    std::map<int, int> found;
    EXPECT_TRUE(eventually([&] {
      while (const auto event = events->next()) ++found[event->kind];
      return found[ZMQ_EVENT_DISCONNECTED] >= ends;
    }));
    return found;
  }

  std::uint16_t port{test::free_port()};
  zmq::context_t context;
  LoopSocket router{context, zmq::socket_type::router};
  std::optional<ConnectionEvents> events{std::in_place, context, router,
                                         ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED};
};

TEST_F(ConnectionEventsTest, ThereIsNoneWithoutConnections) { EXPECT_FALSE(events->next()); }

TEST_F(ConnectionEventsTest, EachConnectionHasOneEventAndSoHasItsEnd) {
  for (int i = 0; i < 3; ++i) visit();
  EXPECT_EQ(events_until(3), (std::map<int, int>{{ZMQ_EVENT_ACCEPTED, 3}, {ZMQ_EVENT_DISCONNECTED, 3}}));
  EXPECT_FALSE(events->next());
}

TEST_F(ConnectionEventsTest, UnreadEventsBlockNoConnection) {
  constexpr int more_than_a_queue_holds = 2500;
  for (int i = 0; i < more_than_a_queue_holds; ++i) visit();
  EXPECT_TRUE(is_reachable());
  // The connection of is_reachable() may also have ended.
  EXPECT_THAT(events_until(more_than_a_queue_holds)[ZMQ_EVENT_DISCONNECTED],
              testing::AnyOf(more_than_a_queue_holds, more_than_a_queue_holds + 1));
}

TEST_F(ConnectionEventsTest, ASocketWorksAfterItsWatchHasEnded) {
  visit();
  events.reset();
  visit();
  EXPECT_TRUE(is_reachable());
}

TEST_F(ConnectionEventsTest, ASocketCanBeWatchedAgain) {
  events.reset();
  events.emplace(context, router, ZMQ_EVENT_DISCONNECTED);
  visit();
  EXPECT_EQ(events_until(1), (std::map<int, int>{{ZMQ_EVENT_DISCONNECTED, 1}}));
}

}  // namespace
}  // namespace eventspace
