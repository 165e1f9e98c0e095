#include "paths/links/target_listeners.h"

#include <gtest/gtest.h>

#include <functional>

namespace eventspace::test {
namespace {

struct NotingListener final : LinkListener {
  bool on_push(Bytes body) override {
    pushed += body.size();
    return within_grant;
  }
  void on_credit(std::uint64_t up_to) override { granted = up_to; }
  void on_loss() override {
    ++losses;
    if (at_loss) at_loss();
  }
  bool within_grant{true};
  std::size_t pushed{0};
  std::uint64_t granted{0};
  int losses{0};
  std::function<void()> at_loss;
};

using Delivery = TargetListeners::Delivery;

class TargetListenersTest : public testing::Test {
 protected:
  Delivery deliver(const wire::Message& message) {
    return listeners.deliver(wire::parse_header(message, message.size()));
  }
  Delivery push_to(std::uint64_t target, std::size_t bytes = 2) {
    wire::Message message = wire::encode(wire::Kind::pushed, 1, wire::Push{target});
    message.resize(message.size() + bytes);
    wire::seal(message);
    return deliver(message);
  }
  Delivery credit_to(std::uint64_t target, std::uint64_t up_to) {
    return deliver(wire::encode(wire::Kind::credited, 1, wire::Credit{target, up_to}));
  }

  TargetListeners listeners;
  NotingListener first;
  NotingListener second;
};

TEST_F(TargetListenersTest, MessagesReachTheListenerOfTheirTarget) {
  listeners.set(1, &first);
  listeners.set(2, &second);
  EXPECT_EQ(push_to(2, 5), Delivery::done);
  EXPECT_EQ(credit_to(1, 40), Delivery::done);
  EXPECT_EQ(second.pushed, 5u);
  EXPECT_EQ(first.granted, 40u);
  EXPECT_EQ(first.pushed, 0u);
}

TEST_F(TargetListenersTest, MessagesWithoutAListenerAreLate) {
  listeners.set(1, &first);
  EXPECT_EQ(push_to(2), Delivery::late);
  listeners.set(1, nullptr);
  EXPECT_TRUE(listeners.is_empty());
  EXPECT_EQ(credit_to(1, 40), Delivery::late);
}

TEST_F(TargetListenersTest, APushBeyondTheGrantIsMalformed) {
  listeners.set(1, &first);
  first.within_grant = false;
  EXPECT_EQ(push_to(1), Delivery::malformed);
}

TEST_F(TargetListenersTest, AnEnvelopeThatCannotBeDecodedIsMalformed) {
  listeners.set(1, &first);
  wire::ParsedHeader parsed;
  parsed.header.kind = wire::Kind::credited;
  EXPECT_EQ(listeners.deliver(parsed), Delivery::malformed);
}

TEST_F(TargetListenersTest, ALossNotifiesEachListenerOnce) {
  listeners.set(1, &first);
  listeners.set(2, &second);
  listeners.lose_all();
  listeners.lose_all();
  EXPECT_EQ(first.losses, 1);
  EXPECT_EQ(second.losses, 1);
}

TEST_F(TargetListenersTest, AListenerMayRemoveOthersAtALoss) {
  listeners.set(1, &first);
  listeners.set(2, &second);
  first.at_loss = [this] { listeners.set(2, nullptr); };
  second.at_loss = [this] { listeners.set(1, nullptr); };
  listeners.lose_all();
  EXPECT_EQ(first.losses + second.losses, 1);
  EXPECT_TRUE(listeners.is_empty());
}

}  // namespace
}  // namespace eventspace::test
