#include "monitors/heartbeat/job_health.h"

#include <gmock/gmock.h>

#include "monitors/heartbeat/health_text.h"
#include "tests/monitors/mpi/job_view.h"
#include "tests/monitors/watching/test_timeline.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using test::TestViews;
using testing::ElementsAre;
using testing::IsEmpty;

/// Three of four ranks are in a barrier since 3 s; rank 2 has left an operation.
class JobHealthTest : public testing::Test {
 protected:
  JobHealthTest() {
    for (std::uint32_t rank : {0, 1, 3}) job.add(rank, JobView::collective("MPI_Barrier", 4, 0), 7s);
    job.add(2, JobView::collective("MPI_Allreduce", 3), 6s, 6500ms);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      ThreadHealth health;
      health.thread = JobView::thread(rank);
      health.verdict = rank == 2 ? Verdict::computing : Verdict::stuck;
      health.uses_processor = rank == 2;
      (rank == 2 ? health.last : health.in_flight) = decode(job.view.records[rank == 3   ? 2
                                                                             : rank == 2 ? 3
                                                                                         : rank]);
      report.threads.push_back(health);
    }
    report.stalled = 4;
  }
  std::vector<std::string> judge(JobHealth& of) {
    of.judge(job.view, {}, 100ms, report);
    std::vector<std::string> told;
    for (const JobVerdict& verdict : report.job.verdicts)
      told.push_back(std::string(to_string(verdict.fault)) + " " + verdict.culprits.to_text());
    return told;
  }
  [[nodiscard]] std::vector<Verdict> verdicts() const {
    std::vector<Verdict> all;
    for (const ThreadHealth& health : report.threads) all.push_back(health.verdict);
    return all;
  }

  JobView job{4};
  HealthReport report;
  View past_view;
  TestViews past{[this] { return past_view; }};
};

TEST_F(JobHealthTest, ARankThatComputesIsAbsentAndAllFourAreStalled) {
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), ElementsAre("absent 2"));
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::stuck, Verdict::stuck, Verdict::computing, Verdict::stuck));
  EXPECT_EQ(report.stalled, 4u);
}

TEST_F(JobHealthTest, WaitsThatAreNotLongerThanEarlierOnesAreNoStall) {
  JobView before(4);
  before.add(0, JobView::collective("MPI_Barrier", 2, 0), 1s, 3s);  // twice that is the limit
  past_view = before.view;
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), IsEmpty());
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::waiting, Verdict::waiting, Verdict::apart, Verdict::waiting));
  EXPECT_EQ(report.stalled, 0u);
}

TEST_F(JobHealthTest, ThePastIsNotAskedWhileNoCallTakesLong) {
  JobHealth health(job.names, 60s, &past);
  EXPECT_THAT(judge(health), IsEmpty());
  EXPECT_THAT(past.asked_at(), IsEmpty());
}

TEST_F(JobHealthTest, ARankThatNoViewReportsIsSaidToBeUnseen) {
  job.names.members[JobView::world] = "0-7";
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), ElementsAre("absent 2,4-7"));
}

TEST_F(JobHealthTest, ProcessesOfAnEarlierJobOfTheSessionAreNotJudged) {
  ProcessReport old = job.view.processes[2];
  old.process = 20;
  old.state = RunState::dead;
  job.names.processes[20] = "app.1";
  job.view.processes.push_back(old);
  job.add(2, JobView::collective("MPI_Barrier", 9), 1s);
  const std::uint32_t thread = *own_numbers_of(20);
  job.view.records.whole().back().words[2] = record_words::thread_path(thread, thread);
  for (ProcessReport& process : job.view.processes)
    process.clock.realtime_ns = process.clock.ticks = 5'000'000'000;
  ThreadHealth dead;
  dead.thread = thread;
  dead.verdict = Verdict::dead;
  dead.last = decode(job.view.records[0]);
  report.threads.push_back(dead);
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), ElementsAre("absent 2"));
  EXPECT_EQ(report.stalled, 4u) << "not 5";
}

/// Four ranks whose last call was `last`, and whose processes are in `state`.
struct LeftJob {
  explicit LeftJob(const std::string& last, RunState state) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      job.add(rank, JobView::call(last, MpiClass::manage), 6s, 6500ms);
      job.view.processes[rank].state = state;
      ThreadHealth health;
      health.thread = JobView::thread(rank);
      health.verdict = state == RunState::ended ? Verdict::ended : Verdict::dead;
      health.last = decode(job.view.records[rank]);
      report.stalled += is_stalled(health.verdict) ? 1 : 0;
      report.threads.push_back(health);
    }
    JobHealth health(job.names, 2s, nullptr);
    health.judge(job.view, {}, 100ms, report);
  }
  JobView job{4};
  HealthReport report;
};

TEST(JobEnd, AJobHasEndedWhenAllRanksHaveReturnedFromFinalize) {
  const LeftJob left("MPI_Finalize", RunState::ended);
  EXPECT_THAT(left.report.job.verdicts, IsEmpty());
  EXPECT_EQ(left.report.stalled, 0u);
  EXPECT_TRUE(left.report.has_ended());
  EXPECT_EQ(describe_end(left.report), "all 4 ranks have returned from MPI_Finalize and ended");
}

TEST(JobEnd, RanksThatEndWithoutFinalizeAreAFault) {
  const LeftJob left("MPI_Barrier", RunState::ended);
  ASSERT_EQ(left.report.job.verdicts.size(), 1u);
  EXPECT_EQ(left.report.job.verdicts[0].fault, JobFault::dead);
  EXPECT_EQ(left.report.job.verdicts[0].culprits.to_text(), "0-3");
  EXPECT_GT(left.report.stalled, 0u);
  EXPECT_FALSE(left.report.has_ended());
}

TEST(JobEnd, RanksThatAreKilledAreAFault) {
  const LeftJob left("MPI_Barrier", RunState::dead);
  EXPECT_EQ(left.report.job.verdicts.size(), 1u);
  EXPECT_EQ(left.report.stalled, 4u);
  EXPECT_EQ(describe_end(left.report), "");
}

TEST(JobEnd, ACrashBehindFinalizeIsAFault) {
  const LeftJob left("MPI_Finalize", RunState::dead);
  EXPECT_EQ(left.report.stalled, 4u);
  EXPECT_FALSE(left.report.has_ended());
}

TEST_F(JobHealthTest, ProcessesThatAreDeadAreTheCause) {
  job.view.processes[2].state = RunState::dead;
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), ElementsAre("dead 2"));
}

}  // namespace
}  // namespace eventspace
