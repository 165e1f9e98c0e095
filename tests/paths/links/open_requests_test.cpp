#include "paths/links/open_requests.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace eventspace::test {
namespace {

struct CountingWaker final : Waker {
  void wake() noexcept override { ++calls; }
  int calls{0};
};

constexpr std::size_t max_part_bytes = 10;
constexpr std::size_t max_parts = 2;
constexpr std::uint64_t connection = 3;

class OpenRequestsTest : public testing::Test {
 protected:
  void add_sent(std::uint64_t id, Waker* waker = nullptr) { requests.add(id, waker, false).sent = true; }
  void add_waiting(std::uint64_t id, bool only_here = false) { requests.add(id, nullptr, only_here); }
  void reply_to(std::uint64_t id) {
    const auto message = std::make_shared<const wire::Message>(wire::encode(id, wire::Opened{id}));
    OpenRequests::Request* const request = requests.find_open(id);
    ASSERT_NE(request, nullptr);
    requests.settle(*request, {wire::parse_header(*message, message->size()), message, connection,
                               std::move(request->parts)});
  }
  /// A part with an empty envelope and a body of `bytes`.
  bool add_part(std::uint64_t id, std::size_t bytes) {
    static const std::vector<std::byte> content(100);
    wire::ParsedHeader parsed;
    parsed.envelope = Bytes(content).first(1);
    parsed.body = Bytes(content).first(bytes);
    return requests.add_part(*requests.find_open(id), parsed, std::make_shared<int>());
  }
  bool is_lost(std::uint64_t id) {
    const auto reply = requests.take(id);
    return reply && reply->is_lost();
  }

  OpenRequests requests{max_part_bytes, max_parts};
  CountingWaker waker;
};

TEST_F(OpenRequestsTest, TheReplyIsTakenOnce) {
  add_sent(1);
  EXPECT_FALSE(requests.take(1));
  reply_to(1);
  EXPECT_EQ(requests.find_open(1), nullptr);
  const auto reply = requests.take(1);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->is_lost());
  EXPECT_EQ(reply->connection, connection);
  EXPECT_FALSE(requests.take(1));
}

TEST_F(OpenRequestsTest, TheWakerIsCalledOnceAtTheReply) {
  add_sent(1, &waker);
  EXPECT_EQ(waker.calls, 0);
  reply_to(1);
  EXPECT_EQ(waker.calls, 1);
  requests.lose(true);
  EXPECT_EQ(waker.calls, 1);
}

TEST_F(OpenRequestsTest, OpenRequestsAndThoseWithAWakerAreCounted) {
  add_sent(1, &waker);
  add_sent(2);
  EXPECT_EQ(requests.open(), 2);
  EXPECT_EQ(requests.with_waker(), 1);
  requests.watch(2, &waker);
  EXPECT_EQ(requests.with_waker(), 2);
  requests.watch(1, nullptr);
  EXPECT_EQ(requests.with_waker(), 1);
  reply_to(2);
  EXPECT_EQ(requests.with_waker(), 0);
  EXPECT_EQ(requests.open(), 1);
  requests.remove(2);  // settled
  requests.remove(1);
  requests.remove(1);  // again
  EXPECT_EQ(requests.open(), 0);
}

TEST_F(OpenRequestsTest, ALossEndsTheRequestsThatItConcerns) {
  add_sent(1);
  add_waiting(2, true);
  add_waiting(3);
  requests.lose(false);
  const auto sent = requests.take(1);
  ASSERT_TRUE(sent && sent->is_lost());
  EXPECT_TRUE(sent->sent);
  const auto not_sent = requests.take(2);
  ASSERT_TRUE(not_sent && not_sent->is_lost());
  EXPECT_FALSE(not_sent->sent);
  EXPECT_FALSE(requests.take(3)) << "it waits for the next connection";
  requests.lose(true);
  EXPECT_TRUE(is_lost(3));
}

TEST_F(OpenRequestsTest, ALossKeepsRepliesThatArrivedBefore) {
  add_sent(1);
  reply_to(1);
  requests.lose(true);
  EXPECT_FALSE(is_lost(1));
}

TEST_F(OpenRequestsTest, ARefusalAnswersAllOrTheSentRequests) {
  add_sent(1);
  add_waiting(2);
  requests.refuse(OpenRequests::Which::sent, {wire::Fault::version, "another version"}, connection);
  EXPECT_FALSE(requests.take(2));
  const auto reply = requests.take(1);
  ASSERT_TRUE(reply);
  const auto failure = wire::decode<wire::Failure>(reply->envelope());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->fault, wire::Fault::version);
  EXPECT_EQ(failure->text, "another version");
  requests.refuse(OpenRequests::Which::all, {wire::Fault::foreign, "no keys"}, connection);
  EXPECT_TRUE(requests.take(2));
}

TEST_F(OpenRequestsTest, PartsAreDeliveredWithTheReply) {
  add_sent(1, &waker);
  EXPECT_TRUE(add_part(1, 3));
  EXPECT_TRUE(add_part(1, 4));
  EXPECT_EQ(waker.calls, 0);
  reply_to(1);
  EXPECT_EQ(requests.take(1)->parts.size(), 2u);
}

TEST_F(OpenRequestsTest, PartsBeyondTheBoundsAreRefused) {
  add_sent(1);
  EXPECT_FALSE(add_part(1, 0)) << "it is empty";
  add_sent(2);
  EXPECT_TRUE(add_part(2, 8));
  EXPECT_FALSE(add_part(2, 8)) << "too many bytes";
  add_sent(3);
  EXPECT_TRUE(add_part(3, 1));
  EXPECT_TRUE(add_part(3, 1));
  EXPECT_FALSE(add_part(3, 1)) << "too many parts";
}

}  // namespace
}  // namespace eventspace::test
