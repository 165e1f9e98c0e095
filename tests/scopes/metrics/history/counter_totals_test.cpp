#include "scopes/metrics/history/counter_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eventspace::metrics {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr Partner third{Partner::Kind::rank, 3};
constexpr Partner fourth{Partner::Kind::rank, 4};

TEST(CounterTotals, AmountsSinceTheLastReadingAreThoseAfterIt) {
  CounterTotals totals;
  totals.of(2) += 5.0;
  totals.of(0) += 1.0;
  totals.mark_read(10);
  totals.of(2) += 7.0;
  EXPECT_EQ(totals.total({0, 1, 2}), 13.0);
  EXPECT_EQ(totals.since_last({0, 1, 2}), 7.0);
  EXPECT_EQ(totals.since_last(std::vector<std::uint32_t>{0}), 0.0);
  EXPECT_EQ(totals.total({99}), 0.0) << "a thread without an event";
}

TEST(CounterTotals, ASumDoesNotDependOnTheOrderOfThreads) {
  CounterTotals totals;
  totals.of(0) = 1e100;
  totals.of(1) = 1.0;
  totals.of(2) = -1e100;
  EXPECT_EQ(totals.total({0, 1, 2}), 1.0);
  EXPECT_EQ(totals.total({0, 2, 1}), 1.0);
  EXPECT_EQ(totals.total({1, 0, 2}), 1.0);
}

TEST(CounterTotals, PartnersAreSummedSeparately) {
  CounterTotals totals;
  totals.add(0, third, 2.0);
  totals.add(0, fourth, 3.0);
  totals.add(1, third, 4.0);
  totals.mark_read(10);
  totals.add(0, third, 8.0);
  const std::set<Partner> chosen{third};
  const auto sums = totals.sums({{0, 1}, &chosen});
  EXPECT_EQ(sums.total, 14.0);
  EXPECT_EQ(sums.until_last, 6.0);
  EXPECT_EQ(totals.total({0, 1}), 0.0) << "they are not in the totals of threads";
}

TEST(CounterTotals, OnlyTotalsThatChangedAreReported) {
  CounterTotals totals;
  totals.of(0) = 1.0;
  totals.of(1) = 2.0;
  totals.add(1, third, 3.0);
  totals.regions().add_region(1, 7, 4.0);
  EXPECT_THAT(totals.changed(), SizeIs(4));
  totals.mark_read(10);
  EXPECT_THAT(totals.changed(), IsEmpty());
  totals.of(1) += 1.0;
  const auto changed = totals.changed();
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_EQ(changed[0].thread, 1u);
  EXPECT_EQ(changed[0].total, 3.0);
}

TEST(CounterTotals, AServersCountReplacesItsPreviousOne) {
  CounterTotals totals;
  totals.receive({0, std::nullopt, 5.0});
  totals.receive({0, std::nullopt, 6.0});
  totals.receive({0, third, 7.0});
  totals.receive({0, third, 9.0});
  totals.receive({0, std::nullopt, 2.0, 4});
  const std::set<Partner> chosen{third};
  const std::vector<std::uint32_t> regions{4};
  EXPECT_EQ(totals.total({0}), 6.0);
  EXPECT_EQ(totals.sums({{0}, &chosen}).total, 9.0);
  EXPECT_EQ(totals.sums({{0}, nullptr, &regions}).total, 2.0);
}

TEST(CounterTotals, PartnersBeyondTheLimitAreLeftOutAndCounted) {
  CounterTotals totals;
  for (std::uint32_t i = 0; i < CounterTotals::max_partner_sums; ++i)
    totals.add(0, {Partner::Kind::rank, i}, 1.0);
  totals.add(1, third, 1.0);
  totals.receive({1, third, 1.0});
  EXPECT_EQ(totals.left_out(), 2u);
  totals.add(0, third, 1.0);  // has a total already
  EXPECT_EQ(totals.left_out(), 2u);
  totals.leave_out(3);
  EXPECT_EQ(totals.left_out(), 5u);
}

TEST(CounterTotals, AThreadIsHeldWhileNothingElseIsCounted) {
  CounterTotals totals;
  totals.of(0) = 1.0;
  totals.mark_read(0);
  totals.note_in_flight(0, 90);
  totals.note_in_flight(0, 95);  // the oldest counts
  EXPECT_EQ(totals.in_flight().at(0), 90);
  EXPECT_FALSE(totals.is_held({0}, 80)) << "it began after the reading";
  EXPECT_TRUE(totals.is_held({0}, 100));
  EXPECT_FALSE(totals.is_held({1}, 100));
  totals.of(0) += 1.0;
  EXPECT_FALSE(totals.is_held({0}, 100));
}

TEST(CounterTotals, TheAmountOfAHeldThreadCoversTheTimeSinceItWasFirstHeld) {
  CounterTotals totals;
  totals.note_in_flight(0, 90);
  totals.mark_read(100);
  totals.mark_read(200);
  totals.forget_in_flight(0);
  EXPECT_EQ(totals.counted_from({0}, 300), 300) << "nothing was counted yet";
  totals.of(0) += 1.0;
  EXPECT_EQ(totals.counted_from({0}, 300), 100);
  totals.mark_read(300);
  totals.of(0) += 1.0;
  EXPECT_EQ(totals.counted_from({0}, 400), 400);
}

}  // namespace
}  // namespace eventspace::metrics
