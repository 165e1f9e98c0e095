#include "scopes/reading/read_transaction.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

class ReadTransactionTest : public testing::Test {
 protected:
  bool begin(std::uint64_t id, std::uint64_t after) {
    Pull pull;
    pull.id = id;
    pull.after = after;
    return transaction.begin(pull);
  }
  ReadTransaction transaction;
};

TEST_F(ReadTransactionTest, AViewArrivedWhenTheNextPullComesAfterIt) {
  EXPECT_TRUE(begin(1, 0)) << "nothing was sent before";
  EXPECT_TRUE(begin(2, 1));
  EXPECT_EQ(transaction.pull(), 2u);
}

TEST_F(ReadTransactionTest, AViewIsLostWhenTheNextPullComesAfterAnEarlierOne) {
  (void)begin(1, 0);
  EXPECT_TRUE(begin(2, 1));
  EXPECT_FALSE(begin(3, 1));
  EXPECT_FALSE(begin(4, 1));
  EXPECT_TRUE(begin(5, 4));
}

TEST(Transacted, KeepsValuesThatArrivedAndRevertsOthers) {
  Transacted<int> value;
  value.sent = 3;
  value.settle(true);
  EXPECT_EQ(value.committed, 3);
  value.sent = 5;
  value.settle(false);
  EXPECT_EQ(value.sent, 3);
  EXPECT_EQ(value.committed, 3);
}

}  // namespace
}  // namespace eventspace
