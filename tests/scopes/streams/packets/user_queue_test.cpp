#include "scopes/streams/packets/user_queue.h"

#include <gtest/gtest.h>

namespace eventspace::streams {
namespace {

using Turns = std::deque<std::uint32_t>;

TEST(UserQueueTest, AStreamHasATurnAsLongAsItHasPackets) {
  UserTurns turns;
  UserQueue queue(7, turns);
  EXPECT_TRUE(turns.empty());
  queue.add({.tag = 1});
  queue.add({.tag = 2});
  EXPECT_EQ(turns.streams(), Turns{7});
  EXPECT_EQ(queue.take().tag, 1);
  EXPECT_EQ(turns.streams(), Turns{7});
  EXPECT_EQ(queue.take().tag, 2);
  EXPECT_TRUE(turns.empty());
}

TEST(UserQueueTest, StreamsTakeTurns) {
  UserTurns turns;
  UserQueue one(1, turns);
  UserQueue other(2, turns);
  one.add({});
  one.add({});
  other.add({});
  EXPECT_EQ(turns.streams(), (Turns{1, 2}));
  (void)one.take();
  EXPECT_EQ(turns.streams(), (Turns{2, 1}));
}

TEST(UserQueueTest, AFullQueueKeepsTheNewestPacketsAndItsTurn) {
  UserTurns turns;
  UserQueue one(1, turns);
  UserQueue other(2, turns);
  const Load window{2, 1000};
  one.add({.tag = 1});
  other.add({});
  EXPECT_EQ(one.replace_oldest({.tag = 2}, window), 0U);
  EXPECT_EQ(one.replace_oldest({.tag = 3}, window), 1U);
  EXPECT_EQ(turns.streams(), (Turns{1, 2}));
  EXPECT_EQ(one.take().tag, 2);
}

TEST(UserQueueTest, AStreamThatIsClosedHasNoTurn) {
  UserTurns turns;
  {
    UserQueue queue(1, turns);
    queue.add({});
  }
  EXPECT_TRUE(turns.empty());
}

}  // namespace
}  // namespace eventspace::streams
