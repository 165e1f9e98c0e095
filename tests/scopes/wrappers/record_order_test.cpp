#include "scopes/wrappers/record_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <random>

#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

using test::event;

std::vector<TraceTuple> ending_at(std::initializer_list<std::uint64_t> ends) {
  std::vector<TraceTuple> records;
  for (const std::uint64_t end : ends) records.push_back(event(records.size() + 1, 1, end));
  return records;
}

std::string told(const std::vector<TraceTuple>& records) {
  View view;
  view.records = records;
  return test::told(view);
}

TEST(RecordOrderTest, RecordsInOrderAreOneRun) {
  auto records = ending_at({10, 20, 20, 30, 0, 0});
  EXPECT_EQ(put_in_order(records, {}), 1u);
  EXPECT_EQ(told(records), "1 2 3 4 5* 6*");
}

TEST(RecordOrderTest, TheRecordsOfAnEventStayTogether) {
  std::vector<TraceTuple> records = ending_at({10, 40, 30, 20});
  records[1].words[3] |= std::uint64_t{9} << 8;  // the beginning of the third
  records[1].words[1] = records[1].words[4] = records[2].words[1];
  put_in_order(records, {});
  EXPECT_EQ(told(records), "1 4 2 3");
}

TEST(RecordOrderTest, NothingHasNoRun) {
  std::vector<TraceTuple> none;
  EXPECT_EQ(put_in_order(none, {}), 0u);
}

TEST(RecordOrderTest, EachChildThatIsInOrderIsARun) {
  auto records = ending_at({10, 40, 50, 90, 20, 30, 60, 70, 15, 80, 85, 95});
  EXPECT_EQ(put_in_order(records, {}), 3u);
  EXPECT_EQ(told(records), "1 9 5 6 2 3 7 8 10 11 4 12");
}

TEST(RecordOrderTest, ChildrenThatFollowEachOtherInTimeAreOneRun) {
  auto records = ending_at({10, 20, 30, 40});
  EXPECT_EQ(put_in_order(records, {}), 1u);
}

TEST(RecordOrderTest, WithoutRunsItIsSorted) {
  auto records = ending_at({50, 40, 30, 20, 10});
  EXPECT_EQ(put_in_order(records, {}), 5u);
  EXPECT_EQ(told(records), "5 4 3 2 1");
}

TEST(RecordOrderTest, DescendingStillPutsThoseInFlightLast) {
  auto records = ending_at({10, 0, 30, 20});
  put_in_order(records, {"end", true});
  EXPECT_EQ(told(records), "3 4 1 2*");
}

TEST(RecordOrderTest, GivesTheSameOrderAsAStableSort) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<TraceTuple> records;
    for (std::size_t run = 1 + random() % 8; run > 0; --run) {
      std::uint64_t end = random() % 50;
      for (std::size_t i = random() % 20; i > 0; --i) {
        const std::uint64_t start = random() % 100;
        end += random() % 4;
        records.push_back(event(records.size() + 1, start, random() % 10 == 0 ? 0 : 100 + end,
                                static_cast<std::uint32_t>(random() % 3)));
      }
    }
    constexpr std::array fields{"start", "end", "duration", "thread", "bytes"};
    const RecordOrder order(fields.at(random() % fields.size()), random() % 2 == 0);
    std::vector<std::size_t> places(records.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return order.rank(records[i]); });
    std::vector<TraceTuple> expected;
    expected.reserve(places.size());
    for (const std::size_t place : places) expected.push_back(records[place]);
    put_in_order(records, order);
    ASSERT_EQ(records, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace eventspace
