#include "paths/views/aggregate.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace eventspace {
namespace {

Aggregate aggregate_of(Reduction reduction, const std::vector<double>& numbers,
                       const std::string& group = "") {
  Aggregate aggregate;
  aggregate.name = "duration";
  aggregate.group = group;
  aggregate.unit = "ns";
  aggregate.reduction = reduction;
  for (const double number : numbers) aggregate.add(number);
  return aggregate;
}

double value_of(Reduction reduction, const std::vector<double>& numbers) {
  return aggregate_of(reduction, numbers).value();
}

std::vector<std::string> groups_in(const std::vector<Aggregate>& aggregates) {
  std::vector<std::string> groups;
  for (const Aggregate& aggregate : aggregates) groups.push_back(aggregate.group);
  return groups;
}

TEST(AggregateTest, HasTheValueOfItsReduction) {
  const std::vector<double> numbers{4, 1, 7};
  EXPECT_EQ(value_of(Reduction::count, numbers), 3);
  EXPECT_EQ(value_of(Reduction::sum, numbers), 12);
  EXPECT_EQ(value_of(Reduction::mean, numbers), 4);
  EXPECT_EQ(value_of(Reduction::min, numbers), 1);
  EXPECT_EQ(value_of(Reduction::max, numbers), 7);
  EXPECT_NEAR(value_of(Reduction::histogram, numbers), 4, 0.13);
}

TEST(AggregateTest, OfNoNumbersIsZero) {
  for (const Reduction reduction : {Reduction::count, Reduction::sum, Reduction::mean, Reduction::min,
                                    Reduction::max, Reduction::histogram}) {
    EXPECT_EQ(value_of(reduction, {}), 0) << to_string(reduction);
  }
}

TEST(AggregateTest, PartialAggregatesCombineToTheWhole) {
  const std::vector<double> numbers{4, 1, 7, -2, 0, 9};
  for (const Reduction reduction : {Reduction::mean, Reduction::min, Reduction::max, Reduction::histogram}) {
    for (std::size_t cut = 0; cut <= numbers.size(); ++cut) {
      const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(cut);
      Aggregate first = aggregate_of(reduction, {numbers.begin(), middle});
      first.add(aggregate_of(reduction, {middle, numbers.end()}));
      EXPECT_EQ(first, aggregate_of(reduction, numbers)) << to_string(reduction) << " cut at " << cut;
    }
  }
}

TEST(AggregateTest, MergingCombinesEqualKeysAndKeepsTheOrder) {
  std::vector<Aggregate> sums{aggregate_of(Reduction::sum, {1}, "b"), aggregate_of(Reduction::sum, {2}, "d")};
  merge(sums, {aggregate_of(Reduction::sum, {10}, "a"), aggregate_of(Reduction::sum, {20}, "b"),
               aggregate_of(Reduction::sum, {30}, "c"), aggregate_of(Reduction::sum, {40}, "e")});
  EXPECT_THAT(groups_in(sums), testing::ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(sums[1].value(), 21);
  merge(sums, {});
  EXPECT_EQ(sums.size(), 5u);
}

TEST(AggregateTest, SortingCombinesEqualKeys) {
  std::vector<Aggregate> sums{aggregate_of(Reduction::sum, {1}, "b"), aggregate_of(Reduction::sum, {2}, "a"),
                              aggregate_of(Reduction::sum, {3}, "b")};
  put_in_order(sums);
  EXPECT_THAT(groups_in(sums), testing::ElementsAre("a", "b"));
  EXPECT_EQ(sums[1].value(), 4);
}

TEST(AggregateTest, AnotherReductionHasAnotherKey) {
  std::vector<Aggregate> both{aggregate_of(Reduction::sum, {1})};
  merge(both, {aggregate_of(Reduction::mean, {3})});
  EXPECT_EQ(both.size(), 2u);
}

}  // namespace
}  // namespace eventspace
