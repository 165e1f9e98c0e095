// The efficiencies of POP against closed forms.
#include "monitors/efficiency/factors.h"

#include <gmock/gmock.h>

namespace eventspace::efficiency {
namespace {

Factors factors(const IntervalTimes& times) { return std::get<Factors>(factors_of(times)); }
NoFactors reason(const IntervalTimes& times) { return std::get<NoFactors>(factors_of(times)); }

TEST(EfficiencyFactors, AreThoseOfTheDefinition) {
  const Factors made = factors({.length = 10, .useful = {8, 6, 4, 2}, .ideal = {9, 9}});
  EXPECT_DOUBLE_EQ(made.parallel, 0.5);
  EXPECT_DOUBLE_EQ(made.load_balance, 5.0 / 8);
  EXPECT_DOUBLE_EQ(made.communication, 0.8);
  EXPECT_DOUBLE_EQ(made.serialisation.least, 8.0 / 9);
  EXPECT_DOUBLE_EQ(made.transfer.least, 0.9);
  EXPECT_TRUE(made.serialisation.is_exact());
  EXPECT_TRUE(made.transfer.is_exact());
}

TEST(EfficiencyFactors, AreProductsOfOneAnother) {
  const Factors made = factors({.length = 7, .useful = {3, 5, 4}, .ideal = {6, 6}});
  EXPECT_DOUBLE_EQ(made.parallel, made.load_balance * made.communication);
  EXPECT_DOUBLE_EQ(made.communication, made.serialisation.least * made.transfer.least);
}

TEST(EfficiencyFactors, ABoundedIdealTimeMakesRanges) {
  const Factors made = factors({.length = 10, .useful = {8, 4}, .ideal = {0, 100}});
  EXPECT_EQ(made.serialisation, (Range{0.8, 1}));
  EXPECT_EQ(made.transfer, (Range{0.8, 1}));
  EXPECT_FALSE(made.transfer.is_exact());
}

TEST(EfficiencyFactors, OneUnitIsBalanced) {
  const Factors made = factors({.length = 10, .useful = {8}, .ideal = {8, 8}});
  EXPECT_DOUBLE_EQ(made.load_balance, 1);
  EXPECT_DOUBLE_EQ(made.serialisation.least, 1);
  EXPECT_DOUBLE_EQ(made.transfer.most, 0.8);
}

TEST(EfficiencyFactors, UsefulTimeAboveTheLengthCountsAsTheLength) {
  EXPECT_DOUBLE_EQ(factors({.length = 10, .useful = {10.001}}).parallel, 1);
}

TEST(EfficiencyFactors, IntervalsWithoutThemHaveAReason) {
  EXPECT_EQ(reason({.length = 1}), NoFactors::no_units);
  EXPECT_EQ(reason({.length = 0, .useful = {0, 0}}), NoFactors::no_length);
  EXPECT_EQ(reason({.length = 1, .useful = {0, 0}}), NoFactors::no_useful);
  EXPECT_EQ(to_string(NoFactors::no_length), "it takes no time");
}

}  // namespace
}  // namespace eventspace::efficiency
