// Tests jobs that MPI_Comm_spawn has started beside the launcher's job, with made-up views.
#include <gmock/gmock.h>

#include "monitors/heartbeat/job_health.h"
#include "monitors/mpi/job_text.h"
#include "tests/monitors/mpi/job_view.h"
#include "tests/monitors/watching/test_timeline.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using test::TestViews;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Job 1 has two ranks, and its rank 1 has spawned job 2 of three. It is 10 s; a stall is 2 s.
class SpawnedJobsTest : public testing::Test {
 protected:
  static constexpr std::uint32_t world_of_2 = 20;

  SpawnedJobsTest() {
    for (std::uint32_t rank = 0; rank < 3; ++rank)
      job.names.processes[process(2, rank)] = "app.2:" + std::to_string(rank);
    job.names.communicators[JobView::world] = "MPI_COMM_WORLD (2)";
    job.names.members[JobView::world] = "0-1";
    job.names.communicators[world_of_2] = "MPI_COMM_WORLD of job 2 (3)";
    job.names.members[world_of_2] = "0-2";
    job.names.communicators[MpiCallRecord::other_communicator] = "(another communicator)";
    job.names.parents[2] = "1:1";
    health_of_all();
  }
  static std::uint32_t process(std::uint32_t of, std::uint32_t rank) { return of == 1 ? rank + 1 : rank + 3; }
  static std::uint32_t place(std::uint32_t of, std::uint32_t rank) { return process(of, rank) - 1; }

  void health_of_all() {
    for (std::uint32_t i = 0; i < 5; ++i) {
      ThreadHealth health;
      health.thread = JobView::thread(i);
      health.uses_processor = true;
      report.threads.push_back(health);
    }
  }
  void put(std::uint32_t of, std::uint32_t rank, const MpiCallRecord& call, std::chrono::nanoseconds start,
           std::chrono::nanoseconds end = {}) {
    job.add(place(of, rank), call, start, end);
    ThreadHealth& health = report.threads[place(of, rank)];
    const EventRecord record = decode(job.view.records.whole().back());
    if (end == 0ns) {
      health.in_flight = record;
      health.verdict = Verdict::stuck;
    } else {
      health.last = record;
      health.verdict = Verdict::computing;
    }
  }
  /// The rank is in the call since 3 s.
  void in(std::uint32_t of, std::uint32_t rank, const MpiCallRecord& call) { put(of, rank, call, 7s); }
  /// The rank has left MPI 2.5 s ago.
  void outside(std::uint32_t of, std::uint32_t rank) {
    put(of, rank, on(JobView::collective("MPI_Barrier", 1), of), 7s, 7500ms);
  }
  static MpiCallRecord on(MpiCallRecord call, std::uint32_t of) {
    call.communicator = of == 1 ? JobView::world : world_of_2;
    return call;
  }
  static MpiCallRecord barrier(std::uint32_t of, std::uint32_t number = 2) {
    return on(JobView::collective("MPI_Barrier", number, 0), of);
  }
  static MpiCallRecord receive(std::uint32_t of, std::uint32_t from) {
    return on(JobView::message("MPI_Recv", MpiClass::receive, from), of);
  }
  /// On a communicator that has members in both jobs.
  static MpiCallRecord receive_across() {
    MpiCallRecord call = JobView::message("MPI_Recv", MpiClass::receive, 0);
    call.communicator = MpiCallRecord::other_communicator;
    return call;
  }
  static MpiCallRecord manage(const std::string& name, std::uint32_t of) {
    return on(JobView::call(name, MpiClass::manage), of);
  }

  void judge() { health.judge(job.view, {}, 100ms, report); }
  /// "absent 2 of job 2", one for each verdict.
  std::vector<std::string> told() {
    judge();
    std::vector<std::string> all;
    for (const JobVerdict& verdict : report.job.verdicts)
      all.push_back(std::string(to_string(verdict.fault)) + " " + verdict.culprits.to_text() + " of job " +
                    std::to_string(verdict.job));
    return all;
  }
  [[nodiscard]] std::vector<std::string> unfollowed() const {
    std::vector<std::string> all;
    for (const JobVerdict& wait : report.job.unfollowed)
      all.push_back(wait.culprits.to_text() + " of job " + std::to_string(wait.job) + " <- " +
                    wait.waiting.to_text());
    return all;
  }
  [[nodiscard]] std::vector<Verdict> verdicts() const {
    std::vector<Verdict> all;
    for (const ThreadHealth& thread : report.threads) all.push_back(thread.verdict);
    return all;
  }

  JobView job{5};
  HealthReport report;
  View past_view;
  TestViews past{[this] { return past_view; }};
  JobHealth health{job.names, 2s, &past};
};

TEST_F(SpawnedJobsTest, ARankThatIsAbsentInASpawnedJobIsNamedWithItsJob) {
  outside(1, 0);
  outside(1, 1);
  in(2, 0, barrier(2));
  in(2, 1, barrier(2));
  outside(2, 2);
  EXPECT_THAT(told(), ElementsAre("absent 2 of job 2"));
  EXPECT_THAT(describe_verdicts(report.job, job.names),
              ElementsAre(HasSubstr("STALL absent: rank 2 of job 2 has not come to MPI_Barrier #2 on "
                                    "MPI_COMM_WORLD of job 2 (3)")));
  EXPECT_THAT(verdicts(),
              ElementsAre(Verdict::apart, Verdict::apart, Verdict::stuck, Verdict::stuck, Verdict::computing))
      << "ranks of one number in the other job are not stalled";
  EXPECT_EQ(report.threads[place(2, 2)].job_verdict, 0u);
  EXPECT_TRUE(report.threads[place(2, 2)].is_job_culprit);
  EXPECT_FALSE(report.threads[place(1, 0)].job_verdict);
}

TEST_F(SpawnedJobsTest, EachJobHasVerdictsOfItsOwn) {
  in(1, 0, receive(1, 1));
  in(1, 1, receive(1, 0));
  in(2, 0, barrier(2));
  in(2, 1, on(JobView::collective("MPI_Allreduce", 2), 2));
  in(2, 2, barrier(2));
  EXPECT_THAT(told(), testing::UnorderedElementsAre("cycle 0-1 of job 1", "mismatch 1 of job 2"));
  EXPECT_EQ(report.stalled, 5u);
}

TEST_F(SpawnedJobsTest, TheRankThatSpawnedAJobIsNamed) {
  outside(1, 1);
  for (std::uint32_t rank = 0; rank < 3; ++rank) outside(2, rank);
  judge();
  EXPECT_THAT(describe_spawned(report.job), ElementsAre("job 2: 3 ranks, spawned by rank 1 of job 1"));
  job.names.parents[2] = "5:1";
  judge();
  EXPECT_THAT(describe_spawned(report.job),
              ElementsAre("job 2: 3 ranks, spawned by rank 1 of job 5, which is not seen"));
  for (const char* const text : {"", "1", "1:", ":1", "0:1", "1:x", "1:99999999", "-1:2"}) {
    job.names.parents[2] = text;
    judge();
    EXPECT_THAT(describe_spawned(report.job), ElementsAre("job 2: 3 ranks, spawned by an unknown process"))
        << text;
  }
}

TEST_F(SpawnedJobsTest, AWaitForARunningJobIsNotAStall) {
  outside(1, 0);
  outside(1, 1);
  in(2, 0, receive_across());
  in(2, 1, barrier(2));
  in(2, 2, barrier(2));
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(unfollowed(), ElementsAre("0 of job 2 <- 1-2"));
  EXPECT_THAT(describe_unfollowed(report.job, job.names),
              ElementsAre(HasSubstr("not followed: rank 0 of job 2 waits for another job: in MPI_Recv on "
                                    "(another communicator) for 3.0s; 2 ranks wait")));
  EXPECT_EQ(report.stalled, 0u);
  EXPECT_EQ(report.threads[place(2, 0)].verdict, Verdict::waiting);
}

TEST_F(SpawnedJobsTest, JobsThatWaitForEachOtherAreStalled) {
  in(1, 0, barrier(1));
  in(1, 1, receive_across());
  in(2, 0, receive_across());
  in(2, 1, barrier(2));
  in(2, 2, barrier(2));
  EXPECT_THAT(told(), ElementsAre("between jobs 0 of job 2", "between jobs 1 of job 1"));
  EXPECT_THAT(unfollowed(), IsEmpty());
  EXPECT_THAT(describe_verdicts(report.job, job.names)[0], HasSubstr("no rank that is seen goes on"));
  EXPECT_EQ(report.stalled, 5u);
}

TEST_F(SpawnedJobsTest, IncompletelyObservedJobsAreNotReportedAsWaitingForEachOther) {
  in(1, 0, barrier(1));
  in(1, 1, receive_across());
  for (std::uint32_t rank = 0; rank < 3; ++rank) in(2, rank, receive_across());
  job.view.missing.emplace_back();
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(unfollowed(), ElementsAre("1 of job 1 <- 0", "0-2 of job 2 <- "));
}

TEST_F(SpawnedJobsTest, ParentsWaitInSpawnAndChildrenInInitForEachOther) {
  in(1, 0, manage("MPI_Comm_spawn", 1));
  in(1, 1, manage("MPI_Comm_spawn", 1));
  for (std::uint32_t rank = 0; rank < 3; ++rank) in(2, rank, manage("MPI_Init", 2));
  EXPECT_THAT(told(), IsEmpty()) << "to start processes may take long";
  job.at(40s);
  EXPECT_THAT(told(),
              testing::UnorderedElementsAre("between jobs 0-1 of job 1", "between jobs 0-2 of job 2"));
}

TEST_F(SpawnedJobsTest, ARankThatDoesNotComeToSpawnIsAbsent) {
  in(1, 0, manage("MPI_Comm_spawn", 1));
  outside(1, 1);
  for (std::uint32_t rank = 0; rank < 3; ++rank) in(2, rank, manage("MPI_Init", 2));
  EXPECT_THAT(told(), ElementsAre("absent 1 of job 1"));
}

TEST_F(SpawnedJobsTest, ARankOfASpawnedJobThatHasNotCalledInitIsAbsent) {
  job.view.processes.pop_back();
  report.threads.pop_back();
  in(1, 0, manage("MPI_Comm_spawn", 1));
  in(1, 1, manage("MPI_Comm_spawn", 1));
  in(2, 0, manage("MPI_Init", 2));
  in(2, 1, manage("MPI_Init", 2));
  EXPECT_THAT(told(), ElementsAre("absent 2 of job 2"));
}

TEST_F(SpawnedJobsTest, ParentsWaitInFinalizeForChildrenThatCompute) {
  MpiCallRecord finalize = JobView::call("MPI_Finalize", MpiClass::manage);
  finalize.communicator = MpiCallRecord::no_communicator;
  in(1, 0, finalize);
  in(1, 1, finalize);
  for (std::uint32_t rank = 0; rank < 3; ++rank) outside(2, rank);
  job.at(40s);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(unfollowed(), ElementsAre("0-1 of job 1 <- "));
}

TEST_F(SpawnedJobsTest, AWaitForAllThatHasAPartAcrossIsFollowedInTheOtherPart) {
  std::vector<MpiCallRecord> requests{on(JobView::message("MPI_Irecv", MpiClass::receive, 1), 1),
                                      receive_across()};
  MpiCallRecord wait = on(JobView::call("MPI_Waitall", MpiClass::complete), 1);
  wait.requests = 2;
  job.awaits(place(1, 0), requests, 7s);
  in(1, 0, wait);
  in(1, 1, receive(1, 0));
  for (std::uint32_t rank = 0; rank < 3; ++rank) outside(2, rank);
  EXPECT_THAT(told(), ElementsAre("cycle 0-1 of job 1"));
}

TEST_F(SpawnedJobsTest, AWaitForAnyThatHasAPartAcrossIsNotFollowed) {
  std::vector<MpiCallRecord> requests{on(JobView::message("MPI_Irecv", MpiClass::receive, 1), 1),
                                      receive_across()};
  MpiCallRecord wait = on(JobView::call("MPI_Waitany", MpiClass::complete), 1);
  wait.requests = 2;
  job.awaits(place(1, 0), requests, 7s);
  in(1, 0, wait);
  in(1, 1, receive(1, 0));
  for (std::uint32_t rank = 0; rank < 3; ++rank) outside(2, rank);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(unfollowed(), ElementsAre("0 of job 1 <- 1"));
}

TEST_F(SpawnedJobsTest, ADeadRankOfASpawnedJobIsFound) {
  outside(1, 0);
  outside(1, 1);
  in(2, 0, barrier(2));
  in(2, 1, barrier(2));
  outside(2, 2);
  job.view.processes[place(2, 2)].state = RunState::dead;
  report.threads[place(2, 2)].verdict = Verdict::dead;
  EXPECT_THAT(told(), ElementsAre("dead 2 of job 2"));
}

TEST_F(SpawnedJobsTest, ARankOfASpawnedJobThatEndsWithoutFinalizeIsDead) {
  outside(2, 2);
  job.view.processes[place(2, 2)].state = RunState::ended;
  report.threads[place(2, 2)].verdict = Verdict::ended;
  EXPECT_THAT(told(), ElementsAre("dead 2 of job 2"));
}

TEST_F(SpawnedJobsTest, RanksOfAllJobsThatHaveFinalizedAreCounted) {
  for (std::uint32_t of = 1; of <= 2; ++of) {
    for (std::uint32_t rank = 0; rank < of + 1; ++rank) {
      put(of, rank, manage("MPI_Finalize", of), 6s, 6500ms);
      job.view.processes[place(of, rank)].state = RunState::ended;
      report.threads[place(of, rank)].verdict = Verdict::ended;
    }
  }
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_EQ(report.finalized_ranks, 5u);
  EXPECT_TRUE(report.has_ended());
}

// The parents have not had an event since, but they are not an earlier job.
TEST_F(SpawnedJobsTest, AParentThatDiedBeforeTheSpawnedJobBeganIsFound) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    job.view.processes[place(2, rank)].clock.realtime_ns = 9'000'000'000;
    job.view.processes[place(2, rank)].clock.ticks = 9'000'000'000;
    put(2, rank, barrier(2, 1), 9100ms, 9200ms);
  }
  outside(1, 0);
  outside(1, 1);
  job.view.processes[place(1, 0)].state = RunState::dead;
  report.threads[place(1, 0)].verdict = Verdict::dead;
  EXPECT_THAT(told(), ElementsAre("dead 0 of job 1"));
}

TEST_F(SpawnedJobsTest, SeveralJobsOfOneNumberAreNotJudged) {
  job.names.processes[process(2, 2)] = "app.2:0";
  outside(1, 0);
  outside(1, 1);
  in(2, 0, barrier(2));
  in(2, 1, barrier(2));
  outside(2, 2);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(describe_spawned(report.job), ElementsAre(HasSubstr("not judged: two processes have rank 0")));
  EXPECT_EQ(report.stalled, 0u);
}

TEST_F(SpawnedJobsTest, AJobThatIsGoneIsForgotten) {
  outside(1, 0);
  outside(2, 0);
  judge();
  EXPECT_EQ(report.job.jobs.size(), 2u);
  job.view.processes.resize(2);
  report.threads.resize(2);
  judge();
  EXPECT_EQ(report.job.jobs.size(), 1u);
  EXPECT_THAT(describe_spawned(report.job), IsEmpty());
}

TEST_F(SpawnedJobsTest, TheHistoryOfAJobIsNotUsedForAnotherJob) {
  JobView before(5);
  before.add(place(2, 0), barrier(2, 1), 1s, 3s);  // twice that is the limit in job 2
  past_view = before.view;
  outside(1, 0);
  outside(1, 1);
  in(2, 0, barrier(2));
  in(2, 1, barrier(2));
  outside(2, 2);
  EXPECT_THAT(told(), IsEmpty());
  in(1, 0, barrier(1));
  EXPECT_THAT(told(), ElementsAre("absent 1 of job 1"));
}

}  // namespace
}  // namespace eventspace
