#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "monitors/top/screen.h"

// Networks of streams in `top`: from their reports to rows.

namespace eventspace::top {
namespace {

using namespace std::chrono_literals;
using streams::StreamReport;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;

/// A front-end and an internal process with one stream, after this many waves.
FoundNetwork network_after(std::uint64_t waves) {
  StreamReport at_front_end{.stream = 3,
                            .counters = {.received = waves,
                                         .received_bytes = 100 * waves,
                                         .dropped = 5,
                                         .waves = waves,
                                         .partial_waves = 2,
                                         .synchronising_ns = 4000 * waves},
                            .waiting_up = {7, 70},
                            .filters = {{"sum", false, {.ns = 1000 * waves}}}};
  StreamReport below = at_front_end;
  below.counters.late = 1;
  below.counters.dropped = 5;  // the front-end counts these too
  FoundNetwork network{.name = "tools", .pid = 4711};
  network.report = {
      .network = "tools",
      .back_ends = 4,
      .attached = RankSet::of_range(0, 2),
      .processes = {{.process = 0, .streams = {at_front_end}}, {.process = 1, .streams = {below}}}};
  return network;
}

StreamWatch::Time at(std::chrono::seconds time) { return StreamWatch::Time(time); }

TEST(StreamWatchTest, SumsAStreamOverProcessesAndHasRatesSinceThePreviousPull) {
  StreamWatch watch;
  const auto first = watch.observe({network_after(1000)}, at(10s));
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].waves_per_second, std::nullopt);
  EXPECT_EQ(first[0].lost, 6u);
  EXPECT_EQ(first[0].waiting, 14u);
  EXPECT_EQ(first[0].synchronising, 4000ns) << "in the front-end";
  EXPECT_EQ(first[0].filtering, 2000ns) << "in both";
  const auto second = watch.observe({network_after(1500)}, at(12s));
  EXPECT_THAT(second[0].waves_per_second, Optional(DoubleNear(250, 0.001)));
  EXPECT_THAT(second[0].bytes_per_second, Optional(DoubleNear(50'000, 0.001)));
  FoundNetwork anew = network_after(3);
  anew.pid = 4712;
  EXPECT_EQ(watch.observe({anew}, at(13s))[0].waves_per_second, std::nullopt)
      << "another process has the name";
}

TEST(StreamsScreenTest, ShowsStreamsAndNetworksThatHaveNoneOrDoNotAnswer) {
  const auto screen = streams_screen();
  EXPECT_TRUE(screen->needs_streams());
  State state;
  EXPECT_THAT(screen->page(state, {}).when_empty, HasSubstr("polling the networks"));
  StreamWatch watch;
  state.streams = watch.observe({}, at(1s));
  EXPECT_THAT(screen->page(state, {}).when_empty, HasSubstr("no network of streams runs on this machine"));
  FoundNetwork busy{.name = "busy", .pid = 1, .silence = "no answer in time"};
  FoundNetwork idle{.name = "idle", .pid = 2};
  idle.report.processes.emplace_back();
  state.streams = watch.observe({network_after(1000), busy, idle}, at(2s));
  const Page page = screen->page(state, {});
  ASSERT_THAT(page.rows, SizeIs(3));
  for (const Row& row : page.rows) EXPECT_EQ(row.fields.size(), page.columns.size());
  EXPECT_EQ(page.rows[0].fields[0].text, "tools");
  EXPECT_EQ(page.rows[0].fields[2].text, "3/4");
  EXPECT_EQ(page.rows[0].fields.back().text, "incomplete");
  EXPECT_EQ(page.rows[1].fields.back().text, "no answer in time");
  EXPECT_EQ(page.rows[2].fields[1].text, "none");
}

}  // namespace
}  // namespace eventspace::top
