#include "pathmaps/plan/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>

#include "pathmaps/plan/plan.h"

namespace eventspace {
namespace {

using ::testing::ElementsAre;

// Indexes of different kinds do not convert to each other, nor to or from plain numbers.
static_assert(!std::is_convertible_v<ThreadIndex, PathIndex>);
static_assert(!std::is_constructible_v<ThreadIndex, PathIndex>);
static_assert(!std::is_convertible_v<std::size_t, ThreadIndex>);
static_assert(!std::is_convertible_v<ThreadIndex, std::size_t>);
// An index has the size and the trivial copy of a plain number.
static_assert(sizeof(ThreadIndex) == sizeof(std::size_t) && std::is_trivially_copyable_v<ThreadIndex>);

using ThreadNames = IndexedVector<ThreadPlan, std::string>;

TEST(Index, AccessesTheVectorOfItsKind) {
  ThreadNames names{"a", "b"};
  const ThreadIndex c = names.push_back("c");
  EXPECT_EQ(c, ThreadIndex(2));
  EXPECT_EQ(names[c], "c");
  EXPECT_EQ(names.index_of(names[c]), c);
  EXPECT_TRUE(names.has(c));
  EXPECT_FALSE(names.has(c.next()));
  EXPECT_THROW((void)names.at(c.next()), std::out_of_range);
}

TEST(Index, IndicesOfAVectorAscend) {
  const ThreadNames names{"a", "b", "c"};
  std::vector<std::size_t> numbers;
  for (const ThreadIndex thread : names.indices()) numbers.push_back(thread.number());
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
  EXPECT_EQ(names.indices().size(), 3U);
  EXPECT_TRUE(ThreadNames().indices().empty());
}

TEST(Index, IsOrderedHashedAndPrinted) {
  EXPECT_LT(PathIndex(3), PathIndex(4));
  const std::unordered_set<PathIndex> paths{PathIndex(3), PathIndex(3), PathIndex(4)};
  EXPECT_EQ(paths.size(), 2U);
  std::ostringstream text;
  text << PathIndex(7);
  EXPECT_EQ(text.str(), "7");
  EXPECT_EQ(PathIndex(7).number32(), 7U);
}

}  // namespace
}  // namespace eventspace
