#include "monitors/profile/phase_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class PhaseTimesTest : public testing::Test {
 protected:
  void call(std::uint64_t start, std::uint64_t end, std::optional<std::uint32_t> phase = {}) {
    auto added = times.add({header(start, end), 1, phase}, process);
    ASSERT_TRUE(added);
    added->is_waiting = true;
    times.assign(thread, *added);
  }
  static RecordHeader header(std::uint64_t start, std::uint64_t end) {
    return {.start = start, .end = end, .thread = thread};
  }

  static inline const std::uint32_t thread = test::JobView::thread(0);
  test::JobView job{1};
  ProcessReport process = job.view.processes.front();
  PhaseTimes times{job.names};
};

TEST_F(PhaseTimesTest, TheTimesOfPhasesAddUpToThatOfTheThread) {
  call(100, 150);
  call(200, 200, 1);
  call(300, 400);
  EXPECT_THAT(times.threads(), SizeIs(1));
  const PhaseTimes::Thread whole = times.threads().front();
  EXPECT_EQ(whole.span, 300ns);
  EXPECT_EQ(whole.waiting, 150ns);
  const auto phases = times.phases();
  ASSERT_THAT(phases, SizeIs(2));
  EXPECT_EQ(phases[0].phase, "1");
  EXPECT_EQ(phases[0].span + phases[1].span, whole.span);
  EXPECT_EQ(phases[0].waiting, 100ns);
  EXPECT_EQ(phases[1].waiting, 50ns);
}

TEST_F(PhaseTimesTest, ACallBelongsToTheRegionThatEndsAfterIt) {
  job.names.probes = {{1, "step"}};
  call(100, 110);
  times.add_region(header(200, 0), 1, process);  // still open
  call(210, 250);
  times.add_region(header(200, 300), 1, process);
  times.settle();
  const auto phases = times.phases();
  ASSERT_THAT(phases, SizeIs(2));
  EXPECT_EQ(phases[0].phase, "step");
  EXPECT_EQ(phases[0].waiting, 40ns);
  EXPECT_EQ(phases[1].phase, "-");
  EXPECT_EQ(phases[1].calls, 1u);
  EXPECT_EQ(phases[1].span, 100ns);
}

TEST_F(PhaseTimesTest, AThreadWithoutNamedPhasesHasNoRowsOfThem) {
  call(100, 110);
  EXPECT_THAT(times.phases(), IsEmpty());
}

}  // namespace
}  // namespace eventspace
