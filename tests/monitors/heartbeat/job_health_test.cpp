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

TEST_F(JobHealthTest, WaitsNoLongerThanEarlierWaitsAreNotAStall) {
  JobView before(4);
  before.add(0, JobView::collective("MPI_Barrier", 2, 0), 1s, 3s);  // twice that is the limit
  past_view = before.view;
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), IsEmpty());
  EXPECT_THAT(verdicts(), ElementsAre(Verdict::waiting, Verdict::waiting, Verdict::apart, Verdict::waiting));
  EXPECT_EQ(report.stalled, 0u);
}

TEST_F(JobHealthTest, HistoryIsNotReadWhileNoCallTakesLong) {
  JobHealth health(job.names, 60s, &past);
  EXPECT_THAT(judge(health), IsEmpty());
  EXPECT_THAT(past.asked_at(), IsEmpty());
}

TEST_F(JobHealthTest, ARankThatNoViewReportsIsNamedAsUnseen) {
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
  const std::uint32_t thread = *local_ids_of(20);
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

TEST(JobEnd, ACrashAfterFinalizeIsAFault) {
  const LeftJob left("MPI_Finalize", RunState::dead);
  EXPECT_EQ(left.report.stalled, 4u);
  EXPECT_FALSE(left.report.has_ended());
}

/// Four ranks that test for a message from the next one since 3 s.
class PollingJobTest : public testing::Test {
 protected:
  PollingJobTest() {
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const std::vector<MpiCallRecord> sought{
          JobView::message("MPI_Irecv", MpiClass::receive, (rank + 1) % 4)};
      MpiCallRecord look = JobView::call("MPI_Test", MpiClass::look);
      look.communicator = MpiCallRecord::no_communicator;
      look.since_ms = 2900;
      look.polling = static_cast<std::uint8_t>(MpiPolling::always);
      past.awaits(rank, sought, 9900ms);
      past.add(rank, look, 9900ms, 9950ms);
      now.add(rank, look, 9900ms, 9950ms);
      ThreadHealth health;
      health.thread = JobView::thread(rank);
      health.verdict = Verdict::running;
      health.uses_processor = true;
      health.last = decode(now.view.records[rank]);
      report.threads.push_back(health);
    }
  }
  std::size_t stalls() {
    TestViews views{[this] { return past.view; }};
    JobHealth health(now.names, 2s, &views);
    health.judge(now.view, {}, 100ms, report);
    return report.job.verdicts.size();
  }
  void set_polling(std::uint8_t polling) {
    for (TraceTuple& tuple : now.view.records.whole()) {
      MpiCallRecord look = mpi_call_of(tuple);
      look.polling = polling;
      tuple.words[5] = look.word5();
    }
  }

  JobView now{4};
  JobView past{4};
  HealthReport report;
};

TEST_F(PollingJobTest, RanksThatTestWithoutSuccessAreStalled) {
  ASSERT_EQ(stalls(), 1u);
  EXPECT_EQ(report.job.verdicts[0].fault, JobFault::cycle);
  EXPECT_EQ(report.job.verdicts[0].culprits.to_text(), "0-3");
  EXPECT_EQ(report.job.verdicts[0].longest, 3s);
  EXPECT_EQ(report.stalled, 4u);
  for (const ThreadHealth& health : report.threads) EXPECT_EQ(health.verdict, Verdict::stuck);
}

TEST_F(PollingJobTest, RanksThatComputeBetweenTestsAreNotStalled) {
  set_polling(0);
  EXPECT_EQ(stalls(), 0u);
  for (ThreadHealth& health : report.threads) health.uses_processor = false;
  EXPECT_EQ(stalls(), 1u) << "they sleep";
}

TEST_F(PollingJobTest, RanksThatHaveNotTestedLatelyAreNotStalled) {
  now.at(12s);
  EXPECT_EQ(stalls(), 0u);
}

TEST_F(PollingJobTest, RanksWhoseMainThreadCallsNoMpiAreNotStalled) {
  for (ProcessReport& process : now.view.processes) process.threads[0].tid += 1000;
  EXPECT_EQ(stalls(), 0u) << "it may compute";
}

TEST_F(JobHealthTest, ProcessesThatAreDeadAreTheCause) {
  job.view.processes[2].state = RunState::dead;
  JobHealth health(job.names, 2s, &past);
  EXPECT_THAT(judge(health), ElementsAre("dead 2"));
}

}  // namespace
}  // namespace eventspace
