// Lanes for overlapping slices, ends in their order, and times by one line through all reports.
#include <gmock/gmock.h>

#include <random>

#include "monitors/export/reading/clock_maps.h"
#include "monitors/export/reading/lanes.h"
#include "monitors/export/sinks/edges.h"

namespace eventspace::exports {
namespace {

std::uint32_t placed(Lanes& lanes, std::int64_t begin, std::int64_t end) { return lanes.place(begin, end); }

TEST(LanesTest, NestedAndSeparateSlicesStayOnTheFirstLane) {
  Lanes lanes;
  EXPECT_EQ(placed(lanes, 0, 10), 0u);
  EXPECT_EQ(placed(lanes, 2, 5), 0u);
  EXPECT_EQ(placed(lanes, 5, 10), 0u) << "begins when the one before ends";
  EXPECT_EQ(placed(lanes, 10, 10), 0u);
  EXPECT_EQ(placed(lanes, 11, 12), 0u);
}

TEST(LanesTest, OverlappingSlicesGetALaneOfTheirOwnUntilThereIsRoomAgain) {
  Lanes lanes;
  EXPECT_EQ(placed(lanes, 0, 10), 0u);
  EXPECT_EQ(placed(lanes, 5, 15), 1u);
  EXPECT_EQ(placed(lanes, 6, 20), 2u);
  EXPECT_EQ(placed(lanes, 12, 14), 0u);
  EXPECT_EQ(placed(lanes, 13, 14), 0u);
}

TEST(LanesTest, TheirNumberIsBounded) {
  Lanes lanes;
  for (std::int64_t i = 0; i < Lanes::most; ++i) placed(lanes, i, 100'000 + i);
  std::int64_t end = 200'000;
  EXPECT_EQ(lanes.place(5000, end), Lanes::most - 1);
  EXPECT_EQ(end, 100'000 + Lanes::most - 1) << "it is cut";
}

TEST(EdgesTest, InnerSlicesEndFirstAndNothingBeginsBeforeWhatEnds) {
  Edges<char> edges;
  std::string told;
  const auto end = [&told](char name, std::int64_t at) { told += name + std::to_string(at) + ' '; };
  edges.add(10, 'a');
  edges.add(10, 'b');  // within a
  edges.add(4, 'c');   // within b
  edges.end_until(4, end);
  EXPECT_EQ(told, "c4 ");
  edges.add(5, 'd');
  edges.add(5, 'e');
  edges.end_until(9, end);
  EXPECT_EQ(told, "c4 e5 d5 ");
  edges.end_all(end);
  EXPECT_EQ(told, "c4 e5 d5 b10 a10 ");
}

ProcessReport report(std::uint32_t process, std::uint64_t ticks, std::int64_t monotonic,
                     ClockSource source = ClockSource::tsc) {
  ProcessReport made;
  made.process = process;
  made.pid = 7;
  made.clock.source = source;
  made.clock.ns_per_tick = 0.5;
  made.now_ticks = ticks;
  made.now_monotonic_ns = monotonic;
  made.now_error_ns = 30;
  return made;
}
constexpr std::uint64_t second_of_ticks = 2'000'000'000;
constexpr std::int64_t second = 1'000'000'000;

TEST(ClockMapsTest, OneTickIsOneTimeFromAnyReport) {
  ClockMaps maps(0);
  // The counter is faster by a millionth than its calibration says.
  for (std::uint64_t s = 1; s <= 10; ++s)
    maps.learn(report(1, s * (second_of_ticks + 2000), static_cast<std::int64_t>(s) * second), "n1");
  const ProcessReport early = report(1, second_of_ticks + 2000, second);
  const ProcessReport late = report(1, 10 * (second_of_ticks + 2000), 10 * second);
  const std::uint64_t middle = 5 * (second_of_ticks + 2000) + second_of_ticks / 2 + 1000;
  EXPECT_EQ(maps.time(early, middle).ns, 5 * second + second / 2);
  EXPECT_EQ(maps.time(late, middle).ns, 5 * second + second / 2);
  EXPECT_THAT(maps.time(late, middle).error_ns,
              testing::Optional(testing::AllOf(testing::Ge(30), testing::Le(40))));
}

TEST(ClockMapsTest, ProcessesOfANodeShareTheLineOfItsCounterAndOthersDoNot) {
  ClockMaps maps(0);
  maps.learn(report(1, second_of_ticks, second), "n1");
  maps.learn(report(2, second_of_ticks + 200, second + 900), "n1");  // read 800 ns late
  maps.learn(report(3, second_of_ticks + 200, second + 900), "n2");
  const std::uint64_t ticks = second_of_ticks + 2000;
  EXPECT_EQ(maps.time(report(2, 0, 0), ticks).ns, maps.time(report(1, 0, 0), ticks).ns);
  EXPECT_EQ(maps.time(report(3, 0, 0), ticks).ns, second + 900 + 900);
}

TEST(ClockMapsTest, TimesDoNotGoBackWhereAClockDid) {
  ClockMaps maps(0);
  std::mt19937_64 random(5);
  for (std::uint64_t s = 1; s <= 40; ++s) {
    const auto jump = static_cast<std::int64_t>(random() % (4 * second)) - 2 * second;
    maps.learn(report(1, s * second_of_ticks, static_cast<std::int64_t>(s) * second + jump), "n1");
  }
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  for (std::uint64_t ticks = 0; ticks < 45 * second_of_ticks; ticks += second_of_ticks / 7) {
    const std::int64_t time = maps.time(report(1, 0, 0), ticks).ns;
    ASSERT_GE(time, before) << ticks;
    before = time;
  }
}

TEST(ClockMapsTest, AClockThatWasNotRelatedHasItsOwnTimeWithoutABound) {
  ClockMaps maps(100);
  ProcessReport unrelated = report(1, 1000, 0, ClockSource::monotonic);
  unrelated.clock.ns_per_tick = 1;
  unrelated.clock.realtime_ns = 5000;
  unrelated.relation = ClockRelation::unknown();
  maps.learn(unrelated, "n1");
  EXPECT_EQ(maps.time(unrelated, 1000).ns, 5900);
  EXPECT_EQ(maps.time(unrelated, 1000).error_ns, std::nullopt);
}

TEST(ClockMapsTest, LinesKeepABoundedNumberOfReports) {
  ClockMaps maps(0);
  for (std::uint64_t s = 1; s <= 3 * ClockMaps::max_points; ++s)
    maps.learn(report(1, s * second_of_ticks, static_cast<std::int64_t>(s) * second), "n1");
  EXPECT_EQ(maps.time(report(1, 0, 0), 12'345 * second_of_ticks).ns, 12'345 * second);
}

}  // namespace
}  // namespace eventspace::exports
