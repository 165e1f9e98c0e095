#include "paths/pull_numbers.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

Pull parents(std::uint64_t id, std::uint64_t after) {
  Pull pull;
  pull.id = id;
  pull.after = after;
  return pull;
}

TEST(PullNumbersTest, AViewThatArrivedIsConfirmedOnce) {
  PullNumbers numbers;
  EXPECT_FALSE(numbers.settle(parents(1, 0)));
  EXPECT_EQ(numbers.next(), 1u);
  numbers.answered(1);
  EXPECT_TRUE(numbers.settle(parents(2, 1)));
  EXPECT_EQ(numbers.confirmed(), 1u);
  EXPECT_FALSE(numbers.settle(parents(3, 1)));
  EXPECT_EQ(numbers.confirmed(), 1u);
}

TEST(PullNumbersTest, AViewThatTheParentDidNotGetIsNotConfirmed) {
  PullNumbers numbers;
  EXPECT_FALSE(numbers.settle(parents(1, 0)));
  numbers.next();
  numbers.answered(1);
  EXPECT_FALSE(numbers.settle(parents(2, 0)));
  EXPECT_EQ(numbers.confirmed(), 0u);
  numbers.next();
  numbers.answered(2);
  EXPECT_TRUE(numbers.settle(parents(3, 2)));
  EXPECT_EQ(numbers.confirmed(), 2u);
}

TEST(PullNumbersTest, APullWithoutAnswerConfirmsNothing) {
  PullNumbers numbers;
  EXPECT_FALSE(numbers.settle(parents(1, 0)));
  numbers.next();
  numbers.answered(1);
  EXPECT_TRUE(numbers.settle(parents(2, 1)));
  numbers.next();  // no answer, but others of the parent had one
  EXPECT_FALSE(numbers.settle(parents(3, 2)));
  EXPECT_EQ(numbers.confirmed(), 1u);
  EXPECT_EQ(numbers.next(), 3u);
}

}  // namespace
}  // namespace eventspace
