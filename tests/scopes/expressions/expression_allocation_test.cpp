#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/scopes/expressions/expression_talk.h"

// Counts the allocations of this program, to test that evaluating an expression allocates nothing.

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

// If only one of them is inlined, GCC warns that they do not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace eventspace {
namespace {

TEST(ExpressionAllocation, EvaluatingAllocatesNothing) {
  test::TakenTuple taken;
  const Expression condition(
      "thread matches '{t[0-9],main}' and path == 'path12' and verb != 'pull' and peer != thread and "
      "(age / duration > 1 or 'a long text that fits into no short string' == node)",
      test::any_type, taken.names);
  const Expression quantity("-(age - duration) * 2 / (bytes % 7)", test::any_type, taken.names);
  const std::size_t before = allocations;
  bool all = true;
  double sum = 0.0;
  for (std::uint32_t thread = 0; thread < 64; ++thread) {
    taken.record.thread = thread % 10;
    all = all && (thread % 10 == 4 || condition.holds(taken.event()));
    sum += quantity.number(taken.event()).value_or(0.0);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(all);
  EXPECT_LT(sum, 0.0);
  EXPECT_TRUE(Expression("true", test::any_type, taken.names).holds(taken.event()));
  EXPECT_GT(allocations, before) << "allocations are not counted";
}

}  // namespace
}  // namespace eventspace
