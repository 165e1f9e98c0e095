#include "monitors/moments/run_boundary.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

/// The report on a process that began at `begun_ns`, with a clock whose ticks are nanoseconds.
ProcessReport process(std::uint32_t number, std::int32_t pid, std::uint64_t begun_ns) {
  ProcessReport report;
  report.process = number;
  report.pid = pid;
  report.start_ticks = begun_ns / 10;
  report.clock.ticks = begun_ns;
  report.now_ticks = begun_ns + 1'000'000;
  report.now_monotonic_ns = static_cast<std::int64_t>(report.now_ticks);
  return report;
}

Moment at(std::int64_t ns) { return {ns, 0, 0, ns}; }

TEST(RunBoundaryTest, NothingIsCurrentUntilAProcessIsKnown) {
  RunBoundary boundary;
  EXPECT_FALSE(boundary.is_current(at(10)));
  EXPECT_FALSE(boundary.learn(process(0, 100, 5000)));
  EXPECT_FALSE(boundary.learn(process(0, 100, 5000)));
  EXPECT_FALSE(boundary.learn(process(1, 101, 9000)));  // a late process of the same run
  EXPECT_FALSE(boundary.is_current(at(10))) << "servers keep what they recorded of the run before";
  EXPECT_TRUE(boundary.is_current(at(5000)));
  EXPECT_FALSE(boundary.learn(process(2, 102, 4000)));  // the earliest process of the run
  EXPECT_TRUE(boundary.is_current(at(4000)));
  EXPECT_EQ(boundary.runs(), 1u);
}

TEST(RunBoundaryTest, EverythingOfAFirstRunWithUnrelatedClocksIsCurrent) {
  RunBoundary boundary;
  ProcessReport lost = process(0, 100, 5000);
  lost.relation = ClockRelation::unknown();
  boundary.learn(lost);
  EXPECT_TRUE(boundary.is_current(at(10)));
}

TEST(RunBoundaryTest, ARunBeginsWithTheFirstOfItsProcesses) {
  RunBoundary boundary;
  boundary.learn(process(0, 100, 5000));
  boundary.learn(process(1, 101, 5100));
  EXPECT_TRUE(boundary.learn(process(1, 201, 8100)));
  EXPECT_FALSE(boundary.is_current(at(8050)));
  EXPECT_FALSE(boundary.learn(process(0, 200, 8000)));  // of the same run
  EXPECT_TRUE(boundary.is_current(at(8050)));
  EXPECT_FALSE(boundary.is_current(at(7999)));
  EXPECT_TRUE(boundary.learn(process(0, 300, 12000)));
  EXPECT_FALSE(boundary.is_current(at(8050)));
}

TEST(RunBoundaryTest, LateReportsOfThePreviousRunDoNotBeginARun) {
  RunBoundary boundary;
  boundary.learn(process(0, 100, 5000));
  EXPECT_TRUE(boundary.learn(process(0, 200, 8000)));
  EXPECT_FALSE(boundary.learn(process(0, 100, 5000)));
  EXPECT_FALSE(boundary.learn(process(0, 200, 8000)));
  EXPECT_TRUE(boundary.is_current(at(8000)));
}

}  // namespace
}  // namespace eventspace
