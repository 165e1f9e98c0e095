#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include <eventspace/operation.h>
#include "collectors/clock.h"
#include "scopes/scope.h"
#include "tests/scopes/reading/process_talk.h"

namespace eventspace {
namespace {

/// A scope that reads the segments of processes p0 and p1, whose clocks are unrelated: p0 counts nanoseconds
/// from real time 5000; p1 counts ticks of 10 ns, and its 700th tick was at real time 4000. Thread 7 is in
/// p0, thread 17 in p1.
class ScopeClocksTest : public testing::Test {
 protected:
  ScopeClocksTest() {
    start("p0", {ClockSource::monotonic, 0, 1000, 1000, 6000, 1.0, 0.0});
    start("p1", {ClockSource::monotonic, 0, 700, 50, 4000, 10.0, 0.0});
  }

  void start(const std::string& process, const ClockCalibration& clock) {
    Segment::Config config = test::small_segment(directory.path());
    config.identity.process = process;
    config.clock = clock;
    segments.push_back(std::make_unique<Segment>(config));
    writers.push_back(segments.back()->writer(0));
  }
  void record(std::size_t process, std::uint64_t start, std::uint64_t end) {
    const std::uint32_t thread = process == 0 ? 7 : 17;
    const auto& w = test::event(1, start, end, thread).words;
    writers[process].begin(w[1], w[2], w[3]);
    writers[process].end(w[4], w[5], w[6], w[7]);
  }

  /// A tree whose root merges the results of `wrapper` for the two processes.
  EventScope scope(const std::string& wrapper, bool next = true) {
    ScopeTree tree;
    tree.scope = "events";
    tree.fingerprint = 0xfeed;
    tree.next = next;
    tree.root.name = "all";
    tree.root.wrapper = "merge";
    for (const std::uint32_t process : {0u, 1u}) {
      ScopeNode read;
      read.wrapper = "read";
      read.sources = {{3, process}};
      ScopeNode node;
      node.wrapper = wrapper;
      node.children = {read};
      tree.root.children.push_back(node);
    }
    return {tree, {nullptr, &found, &names, 0xfeed, {}}};
  }

  /// Threads and ends, in order: "7@6010 17@6020".
  static std::string told(const View& view) {
    std::string text;
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      text += (text.empty() ? "" : " ") + std::to_string(record.thread) + "@" + std::to_string(record.end);
    }
    return text;
  }

  test::TemporaryDirectory directory;
  test::PlainNames names;
  LocalSegments found{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)}};
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<TraceWriter> writers;
};

TEST_F(ScopeClocksTest, EventsOfDifferentClocksComeInTheOrderOfTimeOnceConverted) {
  record(0, 1000, 1100);  // until 6100
  record(0, 1200, 1300);  // until 6300
  record(1, 890, 900);    // until 6000
  record(1, 910, 920);    // until 6200
  EventScope converted = scope("convert");
  EXPECT_EQ(told(converted.pull({})), "17@6000 7@6100 17@6200 7@6300");
  EventScope raw = scope("gather");
  EXPECT_EQ(told(raw.pull({})), "17@900 17@920 7@1100 7@1300");
}

TEST_F(ScopeClocksTest, ConvertedEventsComeOnceOverPulls) {
  EventScope converted = scope("convert");
  record(0, 1000, 1100);
  record(1, 890, 900);
  EXPECT_EQ(told(converted.pull({})), "17@6000 7@6100");
  record(1, 910, 920);
  const View view = converted.pull({});
  EXPECT_EQ(told(view), "17@6200");
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_TRUE(view.missing.empty());
}

TEST_F(ScopeClocksTest, TheMonitorComputesTheSameTimes) {
  record(1, 890, 900);
  EventScope converted = scope("convert", false);
  const View view = converted.pull({});
  ASSERT_EQ(view.processes.size(), 2u);
  const ProcessReport& process = view.processes[1];
  const EventRecord newest = decode(view.records.at(0));
  EXPECT_EQ(process.clock.ns_between(newest.start, newest.end), 100.0);
  EXPECT_EQ(process.clock.to_realtime_ns(newest.end), 6000);
  EXPECT_GT(process.clock.ns_between(newest.end, process.now_ticks), 0.0);  // ages are of the same clock
}

/// A node whose clock was slewed by 400 ppm after its process had measured the length of a tick.
class SlewedNodeTest : public testing::Test {
 protected:
  SlewedNodeTest() {
    Segment::Config config = test::small_segment(directory.path());
    config.identity.process = "p0";
    config.clock = Clock::instance().calibration();
    segment.emplace(config);
    ScopeTree tree;
    tree.scope = "newest";
    tree.fingerprint = 0xfeed;
    tree.root.wrapper = "read";
    tree.root.sources = {{3, 0}};
    scope.emplace(tree, ScopeSurroundings{nullptr, &found, &names, 0xfeed, {}});
  }
  ProcessReport pull() { return scope->pull({}).processes.at(0); }

  std::uint64_t begun{Clock::monotonic_now()};
  NodeClock slewed{[this] {
                     const std::uint64_t now = Clock::monotonic_now();
                     return now + (now - begun) / 2500;
                   },
                   0};
  test::TemporaryDirectory directory;
  test::PlainNames names;
  LocalSegments found{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0), slewed}};
  std::optional<Segment> segment;
  std::optional<EventScope> scope;
};

TEST_F(SlewedNodeTest, ItsEventsLieWithinTheirBounds) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "its processes read the node's clock itself";
  const Deadline limit = Deadline::after(std::chrono::seconds(60));
  ProcessReport process = pull();
  EXPECT_EQ(process.rate_error_ppm, process.clock.error_ppm) << "nothing else is known yet";
  while (std::abs(process.rate_ppm - 400) > 50 && !limit.passed()) process = pull();
  EXPECT_NEAR(process.rate_ppm, 400, 50);
  const std::uint64_t before = slewed.now_ns();
  const std::uint64_t ticks = Clock::instance().now();
  const std::uint64_t after = slewed.now_ns();
  while (slewed.now_ns() < after + 100'000'000) process = pull();  // 400 ppm of which are 40 us
  const BoundedTime time = process.on_node(ticks);
  ASSERT_TRUE(time.error_ns);
  EXPECT_GE(time.ns + *time.error_ns, static_cast<std::int64_t>(before));
  EXPECT_LE(time.ns - *time.error_ns, static_cast<std::int64_t>(after));
}

}  // namespace
}  // namespace eventspace
