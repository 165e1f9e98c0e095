#include "monitors/export/reading/event_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::exports {
namespace {

using testing::ElementsAre;

class EventOrderTest : public testing::Test {
 protected:
  EventOrder order(std::size_t bytes = std::size_t{1} << 20) { return {directory_.path(), {.bytes = bytes}}; }
  static void add(EventOrder& order, std::int64_t begin, std::int64_t end) {
    const std::uint64_t words[] = {static_cast<std::uint64_t>(begin * 1000 + end)};
    order.add({begin, end}, words);
  }
  EventOrder::Use collect() {
    return [this](const EventOrder::Key& key, EventOrder::Words words) {
      passed_.emplace_back(key.begin, key.end);
      words_.insert(words_.end(), words.begin(), words.end());
    };
  }

  test::TemporaryDirectory directory_;
  std::vector<std::pair<std::int64_t, std::int64_t>> passed_;
  std::vector<std::uint64_t> words_;
};

TEST_F(EventOrderTest, TheLongerOfTwoThatBeginTogetherComesFirst) {
  EventOrder events = order();
  add(events, 5, 6);
  add(events, 1, 4);
  add(events, 5, 9);
  add(events, 1, 4);
  events.finish(collect());
  EXPECT_THAT(passed_, ElementsAre(std::pair(1, 4), std::pair(1, 4), std::pair(5, 9), std::pair(5, 6)));
  EXPECT_THAT(words_, ElementsAre(1004, 1004, 5009, 5006));
}

TEST_F(EventOrderTest, PassesOnEventsBeforeATimeAndKeepsTheOthers) {
  EventOrder events = order();
  for (const std::int64_t begin : {30, 10, 20}) add(events, begin, begin + 1);
  events.pass_on(20, collect());
  EXPECT_THAT(passed_, ElementsAre(std::pair(10, 11)));
  add(events, 15, 40);
  events.pass_on(25, collect());
  EXPECT_THAT(passed_, ElementsAre(std::pair(10, 11), std::pair(15, 40), std::pair(20, 21)));
  events.finish(collect());
  EXPECT_THAT(words_, ElementsAre(10011, 15040, 20021, 30031));
  EXPECT_EQ(events.moved(), 0u);
}

TEST_F(EventOrderTest, LateEventsAreMovedAndCounted) {
  EventOrder events = order();
  add(events, 10, 11);
  events.pass_on(20, collect());
  add(events, 4, 6);
  events.finish(collect());
  EXPECT_THAT(passed_, ElementsAre(std::pair(10, 11), std::pair(10, 10)));
  EXPECT_EQ(events.moved(), 1u);
}

// The result is the same as sorting all of them, however little memory there is.
TEST_F(EventOrderTest, EventsBeyondTheMemoryAreSortedThroughAFile) {
  constexpr std::size_t count = 20'000;
  std::mt19937 random(3);
  EventOrder events = order(4096);
  std::vector<std::pair<std::int64_t, std::int64_t>> expected;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % 5000);
    const auto end = begin + static_cast<std::int64_t>(random() % 50);
    add(events, begin, end);
    expected.emplace_back(begin, end);
    if (i % 1000 == 0) events.pass_on(0, collect());
  }
  events.finish(collect());
  std::ranges::stable_sort(expected, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  EXPECT_EQ(passed_, expected);
  EXPECT_GE(events.spilled_bytes(), count * 40);
  EXPECT_THAT(directory_.files(), testing::IsEmpty()) << "its file has no name";
}

TEST_F(EventOrderTest, ADirectoryWhereNoFileCanBeMadeIsNamed) {
  EventOrder events("/proc/none", {.bytes = 100});
  add(events, 1, 2);
  EXPECT_THAT(test::error_text<EnvironmentError>([&] {
                for (int i = 0; i < 100; ++i) add(events, 1, 2);
              }),
              testing::HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace eventspace::exports
