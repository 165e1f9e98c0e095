#include "pathmaps/expansion/scopes/k_ary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace eventspace::expansion {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KAry, SiblingsThatFitAreNotSplit) {
  EXPECT_THAT(k_ary_parts(0, 2), IsEmpty());
  EXPECT_THAT(k_ary_parts(4, 4), IsEmpty());
}

TEST(KAry, RunsAreEvenAndTheTreeHasLeastDepth) {
  EXPECT_THAT(k_ary_parts(5, 4), ElementsAre(3, 2));
  EXPECT_THAT(k_ary_parts(3, 2), ElementsAre(2, 1));
  EXPECT_THAT(k_ary_parts(16, 4), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(k_ary_parts(17, 4), ElementsAre(9, 8));
}

/// Returns the number of levels above `count` siblings, including their root.
std::size_t levels_over(std::size_t count, std::size_t arity) {
  std::size_t deepest = 0;
  for (const auto size : k_ary_parts(count, arity)) {
    if (size > 1) deepest = std::max(deepest, levels_over(size, arity));
  }
  return deepest + 1;
}

TEST(KAry, ATreeHasTheLogarithmOfItsSiblingsAsItsDepth) {
  for (std::size_t arity = 2; arity < 10; ++arity) {
    for (std::size_t count = 1; count < 1500; ++count) {
      std::size_t expected = 1;
      for (std::size_t reach = arity; reach < count; reach *= arity) ++expected;
      ASSERT_EQ(levels_over(count, arity), expected) << count << " to the base " << arity;
      const auto parts = k_ary_parts(count, arity);
      if (parts.empty()) continue;
      ASSERT_LE(parts.size(), arity);
      ASSERT_EQ(std::accumulate(parts.begin(), parts.end(), std::size_t{0}), count);
      ASSERT_LE(parts.front() - parts.back(), 1U);
    }
  }
}

}  // namespace
}  // namespace eventspace::expansion
