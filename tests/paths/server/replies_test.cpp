#include "paths/server/replies.h"

#include <gtest/gtest.h>

#include <optional>
#include <zmq.hpp>

#include "paths/server/server_socket.h"
#include "tests/paths/server_talk.h"

namespace eventspace {
namespace {

using test::eventually;

/// A server's socket, and a peer of it that does not read.
class RepliesTest : public testing::Test {
 protected:
  RepliesTest() {
    peer->set(zmq::sockopt::linger, 0);
    peer->set(zmq::sockopt::rcvhwm, 1);
    peer->set(zmq::sockopt::routing_id, "peer");
    peer->connect(test::local_endpoint(port));
    peer->send(zmq::str_buffer("here I am"), zmq::send_flags::none);
    EXPECT_TRUE(eventually([this] {
      zmq::message_t frame;
      return router.receive(frame) && frame.to_string() == "peer" && router.receive(frame);
    }));
  }

  std::uint16_t port{test::free_port()};
  Network network{NetworkLimits{.queued_messages = 2}};
  LoopSocket router{listen_at(test::local_endpoint(port), network, "the server")};
  ServerCounters counters;
  NodeClock clock;
  Replies replies{router, counters, clock, network.limits().message_bytes};
  zmq::context_t context;
  std::optional<zmq::socket_t> peer{std::in_place, context, zmq::socket_type::dealer};
};

TEST_F(RepliesTest, APeerWhoseQueueIsFullIsNotGone) {
  EXPECT_TRUE(replies.reaches("peer"));
  ASSERT_TRUE(eventually([this] { return !replies.send_unasked("peer", wire::Message(1u << 20)); }));
  EXPECT_TRUE(replies.reaches("peer"));
  peer.reset();
  EXPECT_TRUE(eventually([this] {
    zmq::message_t frame;
    router.receive(frame);  // as the server's loop does; ZeroMQ then reaches the end of the connection
    return !replies.reaches("peer");
  }));
}

TEST_F(RepliesTest, APeerThatWasNeverThereIsGone) { EXPECT_FALSE(replies.reaches("another")); }

}  // namespace
}  // namespace eventspace
