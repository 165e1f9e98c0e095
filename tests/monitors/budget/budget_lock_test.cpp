#include "monitors/budget/budget_lock.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <eventspace/error.h>
#include "tuplespace/system/fnv.h"
#include "tuplespace/system/runtime_directory.h"

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

TEST(BudgetLock, AFileThatCannotBeOpenedIsAnErrorAndNotAnotherTool) {
  const std::string session = own_session() + "-link";
  const std::filesystem::path file =
      runtime_directory() / fmt::format("{:016x}.budget", fnv1a<std::uint64_t>(session));
  std::filesystem::create_symlink("nowhere", file);
  BudgetLock lock(session);
  EXPECT_THROW(lock.take(), EnvironmentError);
  std::filesystem::remove(file);
  EXPECT_TRUE(lock.take());
}

}  // namespace
}  // namespace eventspace
