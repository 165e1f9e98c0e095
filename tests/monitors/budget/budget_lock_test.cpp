#include "monitors/budget/budget_lock.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <string>

namespace eventspace {
namespace {

std::string own_session() { return "budget-lock-" + std::to_string(::getpid()); }

TEST(BudgetLock, OneToolHasIt) {
  BudgetLock first(own_session());
  EXPECT_TRUE(first.take());
  EXPECT_TRUE(first.take());
  BudgetLock second(own_session());
  EXPECT_FALSE(second.take());
  EXPECT_EQ(second.holder(), ::getpid());
  BudgetLock of_another(own_session() + "-other");
  EXPECT_TRUE(of_another.take());
}

TEST(BudgetLock, TheNextOneTakesItWhenTheHolderEnds) {
  BudgetLock second(own_session());
  {
    BudgetLock first(own_session());
    ASSERT_TRUE(first.take());
    EXPECT_FALSE(second.take());
  }
  EXPECT_TRUE(second.take());
}

}  // namespace
}  // namespace eventspace
