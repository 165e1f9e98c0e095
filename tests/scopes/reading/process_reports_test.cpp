#include "scopes/reading/process_reports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "scopes/reading/process_clock.h"
#include "tests/scopes/reading/segment_fixture.h"
#include "tests/tuplespace/system/few_descriptors.h"

namespace eventspace {
namespace {

/// A node's clock that shows one nanosecond more each time it is read.
struct CountingClock {
  std::uint64_t now_ns{1000};
  NodeClock clock{[this] { return ++now_ns; }, 7};
};

TEST(ProcessClock, OfAProcessThatCountsItsNodesNanosecondsBothAreOne) {
  CountingClock node;
  ClockCalibration monotonic;
  monotonic.source = ClockSource::monotonic;
  EXPECT_EQ(ticks_now(monotonic, node.clock), 1001u);
  const ClockRate::Reading both = read_clocks(monotonic, node.clock);
  EXPECT_EQ(both.ticks, 1002u);
  EXPECT_EQ(both.node_ns, 1002);
  EXPECT_EQ(both.error_ns, 0);
}

TEST(ProcessClock, OfOneThatCountsTheProcessorsTicksTheErrorIsKnown) {
  CountingClock node;
  ClockCalibration counter;
  counter.source = ClockSource::tsc;
  counter.ns_per_tick = 0.5;
  const std::uint64_t before = ticks_now(counter, node.clock);
  const ClockRate::Reading both = read_clocks(counter, node.clock);
  const std::uint64_t after = ticks_now(counter, node.clock);
  EXPECT_GE(both.ticks, before);
  EXPECT_LE(both.ticks, after);
  EXPECT_GT(both.error_ns, 0);
  EXPECT_LE(node.now_ns, 1004u) << "no more than four readings";
}

class ProcessReportsTest : public test::SegmentFixture {
 protected:
  NodeClock node;
  ClockRate rate;
};

TEST_F(ProcessReportsTest, TellWhichProcessAndHowItsClockStands) {
  const ProcessReport report = report_process(seen, node, rate);
  EXPECT_EQ(report.pid, ::getpid());
  EXPECT_EQ(report.start_ticks, seen.process_start_ticks());
  EXPECT_EQ(report.clock.ns_per_tick, 0.5);
  EXPECT_GT(report.now_ticks, 0u);
  EXPECT_LE(report.now_monotonic_ns, static_cast<std::int64_t>(node.now_ns()));
  EXPECT_EQ(report.rate_ppm, 0) << "of one reading no rate is known";
  EXPECT_LE(report.rate_error_ppm, ProcessReport::max_ppm);
  EXPECT_TRUE(report.threads.empty());
}

TEST_F(ProcessReportsTest, IncludeTheKernelsDataOnThreads) {
  segment.bind_thread(1, ::gettid());
  const std::vector<std::size_t> both{0, 1};
  const auto threads = report_threads(seen, both);
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0], (ThreadReport{7, 0, '?', 0})) << "it has not bound itself";
  EXPECT_EQ(threads[1].thread, 9u);
  EXPECT_EQ(threads[1].tid, ::gettid());
  EXPECT_EQ(threads[1].state, 'R');
}

TEST_F(ProcessReportsTest, TellAThreadThatHasEndedFromOneThatCannotBeLookedUp) {
  const std::vector<std::size_t> both{0, 1};
  segment.bind_thread(0, 0x7fffffff);
  segment.bind_thread(1, ::gettid());
  EXPECT_TRUE(report_threads(seen, both)[0].has_ended());
  EXPECT_FALSE(report_threads(seen, both)[1].has_ended());
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  const test::FewDescriptors none;
  for (const ThreadReport& thread : report_threads(seen, both)) {
    EXPECT_FALSE(thread.has_ended());
    EXPECT_FALSE(thread.is_known());
    EXPECT_NE(thread.tid, 0);
  }
}

}  // namespace
}  // namespace eventspace
