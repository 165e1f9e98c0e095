#include "paths/sockets/input_poll.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "paths/sockets/descriptor_set.h"
#include "paths/sockets/wake_queue.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// Two connected sockets, and a loop that waits for one of them.
class InputPollTest : public testing::Test {
 protected:
  InputPollTest() {
    here.zmq().bind("inproc://here");
    there.zmq().connect("inproc://here");
  }
  void say(const char* word) { ASSERT_TRUE(there.send(zmq::buffer(std::string(word)))); }
  /// The text that `here` receives now; "" if none.
  std::string hear() {
    zmq::message_t frame;
    return here.receive(frame) ? frame.to_string() : "";
  }
  /// Whether a wait finds news at `here`.
  bool wait(std::chrono::milliseconds longest) {
    poll.clear();
    const InputPoll::Place place = poll.add(here);
    poll.wait(longest);
    return poll.has_news(place);
  }

  /// Whether a wait for `here` and `queue` finds news at each.
  std::pair<bool, bool> wait_for_both() {
    poll.clear();
    const InputPoll::Place socket = poll.add(here);
    const InputPoll::Place descriptor = poll.add(queue.descriptor());
    poll.wait(1min);
    return {poll.has_news(socket), poll.has_news(descriptor)};
  }

  WakeQueue queue;
  zmq::context_t context;
  LoopSocket here{context, zmq::socket_type::pair};
  LoopSocket there{context, zmq::socket_type::pair};
  InputPoll poll;
};

TEST_F(InputPollTest, WithoutNewsItWaitsForTheWholeTime) {
  (void)hear();
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(wait(20ms));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 20ms);
}

TEST_F(InputPollTest, TheDescriptorOfADrainedSocketBecomesReadableAtTheNextMessage) {
  EXPECT_EQ(hear(), "");
  say("one");
  EXPECT_TRUE(wait(1min));
  EXPECT_EQ(hear(), "one");
}

TEST_F(InputPollTest, AMessageNotReceivedYetIsNewsAgain) {
  say("one");
  say("two");
  EXPECT_TRUE(wait(1min));
  EXPECT_EQ(hear(), "one");
  EXPECT_TRUE(wait(1min));
  EXPECT_EQ(hear(), "two");
  EXPECT_EQ(hear(), "");
  EXPECT_FALSE(wait(0ms));
}

TEST_F(InputPollTest, NewsConsumedFromTheDescriptorByAnotherCallIsNotLost) {
  EXPECT_EQ(hear(), "");
  say("one");
  (void)here.zmq().get(zmq::sockopt::events);  // like any ZeroMQ call may do
  EXPECT_TRUE(wait(1min));
  EXPECT_EQ(hear(), "one");
}

TEST_F(InputPollTest, RoomToSendIsNewsIfRequested) {
  poll.clear();
  const InputPoll::Place place = poll.add(here, ZMQ_POLLIN | ZMQ_POLLOUT);
  poll.wait(1min);
  EXPECT_TRUE(poll.has_news(place));
}

TEST_F(InputPollTest, ItWaitsForDescriptorsBesideSockets) {
  (void)hear();
  queue.push(7);
  EXPECT_EQ(wait_for_both(), (std::pair{false, true}));
}

TEST_F(InputPollTest, NewsOfOneSocketDoesNotHideNewsOfOthers) {
  queue.push(7);
  say("one");
  EXPECT_EQ(wait_for_both(), (std::pair{true, true}));
}

TEST_F(InputPollTest, FramesOfAnySizeHandedOverArriveWhole) {
  for (const std::size_t size : {0u, 1u, 1023u, 1024u, 100'000u}) {
    std::vector<std::byte> sent(size);
    for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<std::byte>(i * 7);
    const std::vector<std::byte> expected = sent;
    ASSERT_TRUE(there.send(std::move(sent)));
    EXPECT_TRUE(wait(1min));
    zmq::message_t got;
    ASSERT_TRUE(here.receive(got));
    const auto* const begin = got.data<std::byte>();
    EXPECT_EQ(std::vector<std::byte>(begin, begin + got.size()), expected) << size;
  }
}

TEST_F(InputPollTest, AFrameWithoutAReceiverIsDropped) {
  LoopSocket alone(context, zmq::socket_type::pair);
  EXPECT_FALSE(alone.send(std::vector<std::byte>(100'000)));
}

TEST_F(InputPollTest, NowhereHasNoNews) {
  say("one");
  EXPECT_TRUE(wait(1min));
  EXPECT_FALSE(poll.has_news(InputPoll::nowhere));
  poll.clear();
  EXPECT_FALSE(poll.has_news(0));
}

TEST_F(InputPollTest, ADescriptorSetHasNewsWhileAMemberHas) {
  WakeQueue other;
  DescriptorSet set;
  const DescriptorSet::Member member(set, queue.descriptor());
  std::optional<DescriptorSet::Member> for_a_while{std::in_place, set, other.descriptor()};
  const auto has_news = [&] {
    poll.clear();
    const InputPoll::Place place = poll.add(set.descriptor());
    poll.wait(0ms);
    return poll.has_news(place);
  };
  EXPECT_FALSE(has_news());
  other.interrupt();
  EXPECT_TRUE(has_news());
  EXPECT_TRUE(has_news()) << "until it is read";
  for_a_while.reset();
  EXPECT_FALSE(has_news());
  queue.interrupt();
  EXPECT_TRUE(has_news());
  (void)queue.drain();
  EXPECT_FALSE(has_news());
}

TEST_F(InputPollTest, AnInvalidDescriptorIsRefusedAsAMember) {
  DescriptorSet set;
  EXPECT_THROW(DescriptorSet::Member(set, -1), EnvironmentError);
}

}  // namespace
}  // namespace eventspace
