#include "scopes/reading/process_numbers.h"

#include <gtest/gtest.h>

#include <set>

namespace eventspace {
namespace {

using Run = ProcessNumbers::Run;

Run run(int number) { return {1000 + number, 1'000'000'000LL * number}; }

TEST(ProcessNumbers, ARunKeepsItsNumber) {
  ProcessNumbers numbers({100, 50});
  const auto first = numbers.number_of(run(1));
  ASSERT_TRUE(first);
  EXPECT_TRUE(numbers.range().has(*first));
  (void)numbers.number_of(run(2));
  EXPECT_EQ(numbers.number_of(run(1)), first);
}

TEST(ProcessNumbers, TwoReadersGiveTheSameNumbersInTheSameOrder) {
  ProcessNumbers one({100, 50}), other({100, 50});
  for (int i = 0; i < 50; ++i) EXPECT_EQ(one.number_of(run(i)), other.number_of(run(i)));
}

TEST(ProcessNumbers, AllOfTheRangeAreGivenOnceAndThenNone) {
  ProcessNumbers numbers({100, 50});
  std::set<std::uint32_t> given;
  for (int i = 0; i < 50; ++i) given.insert(numbers.number_of(run(i)).value_or(0));
  EXPECT_EQ(given.size(), 50u);
  EXPECT_EQ(*given.begin(), 100u);
  EXPECT_EQ(*given.rbegin(), 149u);
  EXPECT_FALSE(numbers.number_of(run(50)));
  numbers.release(run(7));
  EXPECT_TRUE(numbers.number_of(run(50)));
}

TEST(ProcessNumbers, AnEmptyRangeGivesNone) { EXPECT_FALSE(ProcessNumbers({}).number_of(run(1))); }

TEST(ProcessNumbers, APreferredNumberIsGivenIfItIsFree) {
  ProcessNumbers numbers({100, 50});
  numbers.prefer(123, run(1));
  EXPECT_EQ(numbers.number_of(run(1)), 123u);
  numbers.prefer(123, run(2));
  const auto second = numbers.number_of(run(2));
  ASSERT_TRUE(second);
  EXPECT_NE(*second, 123u);
}

TEST(ProcessNumbers, ANumberOfAnotherRangeIsNotPreferred) {
  ProcessNumbers numbers({100, 50});
  numbers.prefer(7, run(1));
  EXPECT_TRUE(numbers.range().has(*numbers.number_of(run(1))));
}

}  // namespace
}  // namespace eventspace
