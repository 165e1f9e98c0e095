#include "paths/remote/hop_numbers.h"

#include <gtest/gtest.h>

#include "paths/views/view.h"

namespace eventspace {
namespace {

OperationBody parents(std::uint64_t id, std::uint64_t after) { return {id, after}; }

TEST(HopNumbersTest, AViewThatArrivedIsConfirmedOnce) {
  HopNumbers numbers;
  EXPECT_FALSE(numbers.settle(parents(1, 0)));
  EXPECT_EQ(numbers.next().id, 1u);
  numbers.answered(1);
  EXPECT_TRUE(numbers.settle(parents(2, 1)));
  EXPECT_EQ(numbers.last().after, 1u);
  EXPECT_FALSE(numbers.settle(parents(3, 1)));
  EXPECT_EQ(numbers.last().after, 1u);
}

TEST(HopNumbersTest, AViewThatDidNotReachTheParentIsNotConfirmed) {
  HopNumbers numbers;
  EXPECT_FALSE(numbers.settle(parents(1, 0)));
  numbers.next();
  numbers.answered(1);
  EXPECT_FALSE(numbers.settle(parents(2, 0)));
  EXPECT_EQ(numbers.last().after, 0u);
  numbers.next();
  numbers.answered(2);
  EXPECT_TRUE(numbers.settle(parents(3, 2)));
  EXPECT_EQ(numbers.last().after, 2u);
}

TEST(HopNumbersTest, APullWithoutAReplyConfirmsNothing) {
  HopNumbers numbers;
  EXPECT_FALSE(numbers.settle(parents(1, 0)));
  numbers.next();
  numbers.answered(1);
  EXPECT_TRUE(numbers.settle(parents(2, 1)));
  numbers.next();  // without a reply, while other children of the parent replied
  EXPECT_FALSE(numbers.settle(parents(3, 2)));
  EXPECT_EQ(numbers.last().after, 1u);
  EXPECT_EQ(numbers.next().id, 3u);
}

TEST(HopNumbersTest, TheNextPullHasTheParentsWishesAndItsOwnNumber) {
  HopNumbers numbers;
  for (const std::uint64_t id : {1, 5}) {
    Pull parent;
    static_cast<OperationBody&>(parent) = parents(id, id - 1);
    parent.with_threads = true;
    parent.look_back = std::chrono::seconds(3);
    EXPECT_EQ(numbers.settle(parent), id == 5);
    const Pull pull = Pull::of_child(numbers.next(), parent);
    EXPECT_EQ(pull.id, id == 1 ? 1u : 2u);
    EXPECT_EQ(pull.after, id == 1 ? 0u : 1u);
    EXPECT_TRUE(pull.with_threads);
    EXPECT_EQ(pull.look_back, std::chrono::seconds(3));
    numbers.answered(4);
  }
}

}  // namespace
}  // namespace eventspace
