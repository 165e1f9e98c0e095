#include "paths/sockets/wake_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <set>
#include <thread>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool is_readable(const WakeQueue& queue, int milliseconds = 0) {
  pollfd item{queue.descriptor(), POLLIN, 0};
  return ::poll(&item, 1, milliseconds) == 1;
}

TEST(WakeQueueTest, AFreshQueueIsEmptyAndItsDescriptorIsNotReadable) {
  WakeQueue queue;
  EXPECT_FALSE(is_readable(queue));
  EXPECT_THAT(queue.drain(), IsEmpty());
}

TEST(WakeQueueTest, TokensAreReturnedOnceInTheOrderOfTheirFirstPush) {
  WakeQueue queue;
  for (const std::uint64_t token : {7u, 3u, 7u, 3u, 5u}) queue.push(token);
  EXPECT_THAT(queue.drain(), ElementsAre(7u, 3u, 5u));
  EXPECT_THAT(queue.drain(), IsEmpty());
}

TEST(WakeQueueTest, ATokenCanComeAgainAfterADrain) {
  WakeQueue queue;
  queue.push(7);
  EXPECT_THAT(queue.drain(), ElementsAre(7u));
  queue.push(7);
  EXPECT_TRUE(is_readable(queue));
  EXPECT_THAT(queue.drain(), ElementsAre(7u));
}

TEST(WakeQueueTest, TheDescriptorIsReadableFromAPushToTheDrain) {
  WakeQueue queue;
  queue.push(1);
  queue.push(2);
  EXPECT_TRUE(is_readable(queue));
  EXPECT_TRUE(is_readable(queue));
  (void)queue.drain();
  EXPECT_FALSE(is_readable(queue));
}

TEST(WakeQueueTest, AnInterruptWakesWithoutAToken) {
  WakeQueue queue;
  queue.interrupt();
  queue.interrupt();
  EXPECT_TRUE(is_readable(queue));
  EXPECT_THAT(queue.drain(), IsEmpty());
  EXPECT_FALSE(is_readable(queue));
}

TEST(WakeQueueTest, AnInterruptKeepsTheTokens) {
  WakeQueue queue;
  queue.push(4);
  queue.interrupt();
  EXPECT_THAT(queue.drain(), ElementsAre(4u));
}

TEST(WakeQueueTest, TokensOfTheLoopItselfDoNotMakeTheDescriptorReadable) {
  WakeQueue queue;
  queue.belong_to_this_thread();
  queue.push(4);
  EXPECT_FALSE(is_readable(queue));
  EXPECT_TRUE(queue.has_tokens());
  EXPECT_THAT(queue.take(), ElementsAre(4u));
  EXPECT_FALSE(queue.has_tokens());
}

TEST(WakeQueueTest, TokensOfOtherThreadsMakeTheDescriptorReadable) {
  WakeQueue queue;
  queue.belong_to_this_thread();
  std::thread([&queue] { queue.push(4); }).join();
  EXPECT_TRUE(is_readable(queue));
  EXPECT_THAT(queue.drain(), ElementsAre(4u));
  EXPECT_FALSE(is_readable(queue));
}

WakeQueue* interrupted_by_signal = nullptr;

TEST(WakeQueueTest, ASignalHandlerMayInterrupt) {
  WakeQueue queue;
  interrupted_by_signal = &queue;
  struct sigaction interrupt {};
  struct sigaction before {};
  interrupt.sa_handler = [](int) { interrupted_by_signal->interrupt(); };
  ASSERT_EQ(::sigaction(SIGUSR1, &interrupt, &before), 0);
  ::raise(SIGUSR1);
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(is_readable(queue));
}

// A push is never lost between a drain and the next wait: the loop sleeps only on the descriptor.
TEST(WakeQueueTest, EveryTokenOfConcurrentPushersArrives) {
  constexpr std::uint64_t pushers = 4;
  constexpr std::uint64_t tokens_each = 2000;
  WakeQueue queue;
  std::vector<std::jthread> running;
  running.reserve(pushers);
  for (std::uint64_t pusher = 0; pusher < pushers; ++pusher) {
    running.emplace_back([&queue, pusher] {
      for (std::uint64_t i = 0; i < tokens_each; ++i) queue.push(pusher * tokens_each + i);
    });
  }
  std::set<std::uint64_t> arrived;
  while (arrived.size() < pushers * tokens_each) {
    ASSERT_TRUE(is_readable(queue, 60'000)) << arrived.size() << " tokens arrived";
    for (const std::uint64_t token : queue.drain()) EXPECT_TRUE(arrived.insert(token).second) << token;
  }
  EXPECT_EQ(*arrived.rbegin(), pushers * tokens_each - 1);
}

TEST(WakeQueueTest, ATokenPushedByManyAtOnceIsKeptOnce) {
  WakeQueue queue;
  std::vector<std::jthread> running;
  running.reserve(4);
  for (int pusher = 0; pusher < 4; ++pusher) {
    running.emplace_back([&queue] {
      for (int i = 0; i < 1000; ++i) queue.push(9);
    });
  }
  running.clear();
  EXPECT_THAT(queue.drain(), ElementsAre(9u));
}

}  // namespace
}  // namespace eventspace
