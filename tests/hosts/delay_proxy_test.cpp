#include "tests/hosts/delay_proxy.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/hosts/tcp.h"

namespace eventspace::testing_hosts {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A client, the proxy and a server on the loopback interface.
class DelayProxyTest : public testing::Test {
 protected:
  void connect(std::chrono::milliseconds delay, std::optional<std::chrono::milliseconds> back = {}) {
    proxy_ = std::make_unique<DelayProxy>(
        DelayProxy::Config{"127.0.0.1", "127.0.0.1", port_of(listener_), delay, back});
    client_ = connect_to("127.0.0.1", proxy_->port(), 10s);
    ASSERT_TRUE(client_.valid());
    server_ = accept_from(listener_, 10s);
    ASSERT_TRUE(server_.valid());
  }

  FileHandle listener_ = listen_at("127.0.0.1");
  std::unique_ptr<DelayProxy> proxy_;
  FileHandle client_, server_;
};

TEST_F(DelayProxyTest, BothDirectionsTakeTheSetTime) {
  ASSERT_NO_FATAL_FAILURE(connect(50ms));
  const auto begin = Clock::now();
  send_all(client_, "question");
  EXPECT_EQ(receive(server_, 8), "question");
  EXPECT_GE(Clock::now() - begin, 50ms);
  send_all(server_, "answer");
  EXPECT_EQ(receive(client_, 6), "answer");
  EXPECT_GE(Clock::now() - begin, 100ms);
}

TEST_F(DelayProxyTest, TheWayBackMayTakeLonger) {
  ASSERT_NO_FATAL_FAILURE(connect(0ms, 80ms));
  const auto begin = Clock::now();
  send_all(server_, "answer");
  EXPECT_EQ(receive(client_, 6), "answer");
  EXPECT_GE(Clock::now() - begin, 80ms);
}

TEST_F(DelayProxyTest, MoreBytesThanItHoldsArriveCompletelyAndInOrder) {
  ASSERT_NO_FATAL_FAILURE(connect(5ms));
  std::string bytes(8u << 20, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 16);
  const auto sent = std::async(std::launch::async, [&] { send_all(client_, bytes); });
  EXPECT_TRUE(receive(server_, bytes.size()) == bytes);
}

TEST_F(DelayProxyTest, BytesArriveBeforeTheEndOfTheStream) {
  ASSERT_NO_FATAL_FAILURE(connect(20ms));
  send_all(client_, "last words");
  client_ = FileHandle();
  EXPECT_EQ(receive(server_, 100), "last words");
  server_ = FileHandle();
}

TEST_F(DelayProxyTest, OneConnectionDoesNotWaitForAnother) {
  ASSERT_NO_FATAL_FAILURE(connect(5ms));
  const FileHandle silent = std::move(client_);
  client_ = connect_to("127.0.0.1", proxy_->port(), 10s);
  server_ = accept_from(listener_, 10s);
  send_all(client_, "hello");
  EXPECT_EQ(receive(server_, 5), "hello");
}

TEST_F(DelayProxyTest, WithoutAServerTheConnectionIsClosed) {
  const std::uint16_t nobody = port_of(listener_);
  listener_ = FileHandle();
  const DelayProxy proxy({"127.0.0.1", "127.0.0.1", nobody, 1ms});
  client_ = connect_to("127.0.0.1", proxy.port(), 10s);
  ASSERT_TRUE(client_.valid());
  EXPECT_EQ(receive(client_, 1), "");
}

}  // namespace
}  // namespace eventspace::testing_hosts
