#include "paths/links/link.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "paths/links/link_pool.h"
#include "paths/sockets/input_poll.h"
#include "tests/paths/remote/raw_server.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace::test {
namespace {

using namespace std::chrono_literals;

struct ToldOfReply final : Waker {
  void wake() noexcept override { ++times; }
  std::atomic<int> times{0};
};

/// A link that belongs to a loop, to a server whose replies the test sends.
class LinkOfALoopTest : public testing::Test {
 protected:
  LinkOfALoopTest() : first(ask(&at_first)) { EXPECT_NE(first, 0u) << "so that the connection stands"; }

  std::uint64_t send(Waker* waker) {
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(wire::Kind::ping, id), waker));
    return id;
  }
  /// Sends a request and has the server answer it.
  std::uint64_t ask(Waker* waker) {
    const std::uint64_t id = send(waker);
    const Deadline limit = Deadline::after(60s);
    while (!limit.passed()) {
      turn(10ms);
      if (!server.hear()) continue;
      server.answer(wire::Opened{id});
      return id;
    }
    ADD_FAILURE() << "the server did not hear request " << id;
    return 0;
  }
  /// One turn of the loop.
  void turn(std::chrono::milliseconds longest) {
    poll.clear();
    links.add_to(poll);
    poll.wait(longest);
    links.progress(poll);
  }
  template <class Condition>
  bool turns_until(Condition condition) {
    const Deadline limit = Deadline::after(60s);
    while (!limit.passed()) {
      if (condition()) return true;
      turn(10ms);
    }
    return false;
  }
  std::uint64_t told_by(const std::optional<Reply>& reply) {
    if (!reply || reply->is_lost()) return 0;
    const auto opened = wire::decode<wire::Opened>(reply->envelope());
    return opened ? opened->target : 0;
  }

  std::uint16_t port{free_port()};
  RawServer server{port};
  Network network;
  LinkPool links{network, Progress::by_loop};
  Link& link{links.to(local_endpoint(port))};
  InputPoll poll;
  ToldOfReply at_first;
  std::uint64_t first;
};

TEST_F(LinkOfALoopTest, TheLoopStoresTheReplyAndCallsTheWaker) {
  EXPECT_TRUE(turns_until([&] { return at_first.times == 1; }));
  EXPECT_EQ(told_by(link.poll(first)), first);
  EXPECT_FALSE(link.poll(first)) << "it is told once";
}

TEST_F(LinkOfALoopTest, PollFindsAReplyToARequestWithoutAWaker) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  const std::uint64_t id = ask(nullptr);
  std::optional<Reply> reply;
  const Deadline limit = Deadline::after(60s);
  while (!reply && !limit.passed()) reply = link.poll(id);  // without any turn of the loop
  EXPECT_EQ(told_by(reply), id);
}

TEST_F(LinkOfALoopTest, AWakerSetLaterIsCalled) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  const std::uint64_t id = send(nullptr);
  ToldOfReply later;
  EXPECT_FALSE(link.poll(id));
  link.watch(id, &later);
  ASSERT_TRUE(turns_until([&] { return server.hear().has_value(); }));
  server.answer(wire::Opened{id});
  EXPECT_TRUE(turns_until([&] { return later.times == 1; }));
  EXPECT_EQ(told_by(link.poll(id)), id);
}

TEST_F(LinkOfALoopTest, ARequestWithAWakerMakesTheLoopReadAllReplies) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  const std::uint64_t quiet = ask(nullptr);
  ToldOfReply told;
  const std::uint64_t loud = ask(&told);
  ASSERT_TRUE(turns_until([&] { return told.times == 1; }));
  EXPECT_EQ(told_by(link.poll(loud)), loud);
  EXPECT_EQ(told_by(link.poll(quiet)), quiet);
}

TEST_F(LinkOfALoopTest, ForgettingOneRequestKeepsTheWakersOfOthers) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  const std::uint64_t forgotten = ask(nullptr);
  link.forget(forgotten);
  ToldOfReply told;
  const std::uint64_t id = ask(&told);
  EXPECT_TRUE(turns_until([&] { return told.times == 1; }));
  EXPECT_EQ(told_by(link.poll(id)), id);
  EXPECT_EQ(link.counts().late_replies, 1u);
}

// The descriptor of a socket that is not drained does not become readable again: the loop must not miss any
// of these replies.
TEST_F(LinkOfALoopTest, EachOfManyRepliesInARowCallsItsWaker) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  for (int i = 0; i < 500; ++i) {
    ToldOfReply told;
    const std::uint64_t id = ask(&told);
    ASSERT_TRUE(turns_until([&] { return told.times == 1; })) << i;
    ASSERT_EQ(told_by(link.poll(id)), id);
    if (i % 7 == 0) links.tidy();
  }
}

TEST_F(LinkOfALoopTest, LateRepliesAreReadWhenLinksAreTidied) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  ToldOfReply told;
  const std::uint64_t id = ask(&told);
  server.answer(wire::Opened{id});
  ASSERT_TRUE(turns_until([&] { return told.times == 1; }));
  EXPECT_EQ(told_by(link.poll(id)), id);
  EXPECT_TRUE(link.is_idle());
  EXPECT_TRUE(turns_until([&] {
    links.tidy();
    return link.counts().late_replies == 1;
  }));
  server.answer(wire::Opened{id});  // the socket is drained now, so that the loop waits for it
  EXPECT_TRUE(turns_until([&] { return link.counts().late_replies == 2; }));
}

Bytes bytes_of(const std::vector<TraceTuple>& tuples) { return std::as_bytes(std::span(tuples)); }

wire::Message part_with(std::uint64_t id, Bytes body) {
  wire::Message part = wire::encode(wire::Kind::part, id);
  part.insert(part.end(), body.begin(), body.end());
  wire::seal(part);
  return part;
}

TEST_F(LinkOfALoopTest, PartsAreDeliveredWithTheReplyAndDoNotCallTheWaker) {
  ToldOfReply at_second;
  const std::uint64_t id = send(&at_second);
  ASSERT_TRUE(turns_until([&] { return server.hear().has_value(); }));
  const std::vector<TraceTuple> tuples{{{1}}, {{2}}, {{3}}};
  const std::vector<Bytes> both{bytes_of(tuples).first(128)};
  const std::vector<Bytes> third{bytes_of(tuples).subspan(128)};
  const std::uint64_t before = link.counts().bytes_received;
  server.say(part_with(id, both[0]));
  server.say(part_with(id, third[0]));
  EXPECT_TRUE(turns_until([&] { return link.counts().bytes_received > before + 192; }));
  EXPECT_EQ(at_second.times, 0);
  server.answer(wire::Opened{id});
  EXPECT_TRUE(turns_until([&] { return at_second.times == 1; }));
  const auto reply = link.poll(id);
  EXPECT_EQ(told_by(reply), id);
  ASSERT_EQ(reply->parts.size(), 2u);
  EXPECT_EQ(reply->parts[0].body.size(), 128u);
  EXPECT_EQ(std::memcmp(reply->parts[1].body.data(), &tuples[2], sizeof tuples[2]), 0);
}

TEST_F(LinkOfALoopTest, PartsOfAForgottenRequestAreDroppedAndNotCountedAsReplies) {
  const std::uint64_t id = send(&at_first);
  ASSERT_TRUE(turns_until([&] { return server.hear().has_value(); }));
  link.forget(id);
  const std::vector<TraceTuple> tuples{{{1}}};
  const std::vector<Bytes> pieces{bytes_of(tuples)};
  server.say(part_with(id, pieces[0]));
  server.answer(wire::Opened{id});
  EXPECT_TRUE(turns_until([&] {
    link.progress();
    return link.counts().late_replies == 1;
  }));
  EXPECT_EQ(link.counts().malformed_replies, 0u);
}

/// Receives the messages of one target; refuses more than three bytes in all.
class Listener final : public LinkListener {
 public:
  bool on_push(Bytes body) override {
    bytes += body.size();
    return bytes <= 3;
  }
  void on_credit(std::uint64_t up_to) override { granted = up_to; }
  void on_loss() override { is_lost = true; }
  std::size_t bytes{0};
  std::uint64_t granted{0};
  bool is_lost{false};
};

wire::Message pushed(std::uint64_t id, std::uint64_t target, std::size_t bytes) {
  wire::Message message = wire::encode(wire::Kind::pushed, id, wire::Push{target});
  message.resize(message.size() + bytes);
  wire::seal(message);
  return message;
}

TEST_F(LinkOfALoopTest, PushesGoToTheListenerOfTheirTargetWhateverTheirId) {
  Listener listener;
  const std::uint64_t id = send(&at_first);
  ASSERT_TRUE(turns_until([&] { return server.hear().has_value(); }));
  link.listen(77, &listener);
  server.say(pushed(id, 77, 2));  // the id belongs to a request under way
  server.say(wire::encode(wire::Kind::credited, 1, wire::Credit{77, 9}));
  EXPECT_TRUE(turns_until([&] { return listener.bytes == 2 && listener.granted == 9; }));
  EXPECT_FALSE(link.poll(id));
  server.say(pushed(2, 78, 1));
  EXPECT_TRUE(turns_until([&] { return link.counts().late_replies == 1; }));
  server.say(pushed(3, 77, 2));
  EXPECT_TRUE(turns_until([&] { return link.counts().malformed_replies == 1; })) << "more than was granted";
  server.say(wire::encode(wire::Kind::pushed, 4));
  EXPECT_TRUE(turns_until([&] { return link.counts().malformed_replies == 2; })) << "without a target";
  link.listen(77, nullptr);
  server.say(pushed(5, 77, 1));
  EXPECT_TRUE(turns_until([&] {
    link.progress();
    return link.counts().late_replies == 2;
  }));
  server.answer(wire::Opened{id});
  EXPECT_TRUE(turns_until([&] { return link.poll(id).has_value(); }));
}

TEST_F(LinkOfALoopTest, AMessageOfAnotherVersionAnswersAllThatWasAsked) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  ToldOfReply told;
  const std::array both{send(&told), send(&told)};
  for (std::size_t heard = 0; heard < both.size();) heard += server.hear() ? 1 : 0;
  server.answer_in_version(wire::protocol_version + 1);
  EXPECT_TRUE(turns_until([&] { return told.times == 2; }));
  for (const std::uint64_t id : both) {
    const auto reply = link.poll(id);
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->kind, wire::Kind::failed);
    const auto failure = wire::decode<wire::Failure>(reply->envelope());
    EXPECT_EQ(failure->fault, wire::Fault::version);
    EXPECT_EQ(failure->text, "the server at " + local_endpoint(port) +
                                 " speaks version 17 of the protocol, this program version 16; use the same "
                                 "version of EventSpace for both, and start the server again");
  }
  EXPECT_EQ(link.counts().malformed_replies, 1u);
  const std::uint64_t later = ask(&told);  // a server that replaces it may answer
  EXPECT_TRUE(turns_until([&] { return told.times == 3; }));
  EXPECT_EQ(told_by(link.poll(later)), later);
}

// Everything in a part counts towards the bound, so it must not have an envelope, which could hide bytes.
TEST_F(LinkOfALoopTest, APartWithAnEnvelopeIsMalformed) {
  const std::uint64_t id = send(&at_first);
  ASSERT_TRUE(turns_until([&] { return server.hear().has_value(); }));
  wire::Message odd = pushed(id, 77, 10);
  odd[5] = static_cast<std::byte>(wire::Kind::part);
  server.say(odd);
  EXPECT_TRUE(turns_until([&] { return link.counts().malformed_replies == 1; }));
  server.answer(wire::Opened{id});
  std::optional<Reply> reply;
  EXPECT_TRUE(turns_until([&] { return (reply = link.poll(id)).has_value(); }));
  EXPECT_TRUE(reply->parts.empty());
}

/// A link to a server that sends the same part seven times.
class RepeatedPartTest : public testing::Test {
 protected:
  /// The number of parts that are delivered with the reply.
  std::size_t parts_that_come(NetworkLimits limits) {
    Network network(limits);
    Link link(network, local_endpoint(port));
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(wire::Kind::closed, id), nullptr));
    for (const Deadline end = Deadline::after(60s); !server.hear() && !end.passed();) link.progress();
    for (int i = 0; i < 7; ++i) server.say(part(id));
    server.answer(wire::Opened{id});
    const auto reply = link.wait(id, Deadline::after(60s));
    malformed = link.counts().malformed_replies;
    return reply ? reply->parts.size() : 0;
  }
  static wire::Message part(std::uint64_t id) {
    static const std::vector<TraceTuple> tuples{{{1}}, {{2}}};
    const std::vector<Bytes> pieces{bytes_of(tuples)};
    return part_with(id, pieces[0]);
  }

  std::uint16_t port{free_port()};
  RawServer server{port};
  std::uint64_t malformed{0};
};

TEST_F(RepeatedPartTest, PartsOfAReplyAreLimitedToTheBytesOfOneMessage) {
  NetworkLimits limits;
  limits.message_bytes = 5 * (part(1).size() - wire::header_bytes);
  EXPECT_EQ(parts_that_come(limits), 5u);
  EXPECT_EQ(malformed, 2u);
}

TEST_F(RepeatedPartTest, PartsOfAReplyAreLimitedToTheQueuedMessages) {
  NetworkLimits limits;
  limits.queued_messages = 4;
  EXPECT_EQ(parts_that_come(limits), 4u);
  EXPECT_EQ(malformed, 3u);
}

// The loop polls the connection events of all links with one descriptor.
TEST_F(LinkOfALoopTest, ALostConnectionOfOneOfItsLinksEndsTheWait) {
  ASSERT_TRUE(turns_until([&] { return at_first.times == 1; }));
  const std::uint16_t other_port = free_port();
  std::optional<RawServer> other{std::in_place, other_port};
  Link& lost = links.to(local_endpoint(other_port));
  ToldOfReply told;
  const std::uint64_t id = lost.next_id();
  ASSERT_TRUE(lost.send(id, wire::encode(wire::Kind::ping, id), &told));
  ASSERT_TRUE(turns_until([&] { return other->hear().has_value(); }));
  other.reset();
  const Deadline limit = Deadline::after(50s);
  while (told.times == 0 && !limit.passed()) turn(1min);
  EXPECT_EQ(told.times, 1);
  EXPECT_EQ(lost.counts().lost_connections, 1u);
  EXPECT_EQ(link.counts().lost_connections, 0u);
  EXPECT_TRUE(lost.poll(id)->is_lost());
}

}  // namespace
}  // namespace eventspace::test
