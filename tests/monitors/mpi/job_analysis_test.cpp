#include "monitors/mpi/job_analysis.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/monitors/mpi/job_story.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Job;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using What = AwaitedPart::What;

Job barrier_that_lacks(std::uint32_t rank, std::uint32_t size = 8) {
  Job job(size);
  for (std::uint32_t one = 0; one < size; ++one) {
    if (one != rank) job.collective(one, "MPI_Barrier", 4);
  }
  job.left(rank, "MPI_Allreduce", 3, 2400ms);
  return job;
}

TEST(JobAnalysis, ARankThatComputesIsAbsentFromTheBarrierInWhichTheOthersAre) {
  const Job job = barrier_that_lacks(5);
  EXPECT_THAT(job.told(), ElementsAre("absent 5 <- 0-4,6-7"));
  EXPECT_THAT(job.lines(),
              ElementsAre("STALL absent: rank 5 has not come to MPI_Barrier #4 on world: computing for "
                          "2.4s after MPI_Allreduce #3 on world; 7 ranks wait there for 3.0s: 0-4,6-7"));
}

TEST(JobAnalysis, AnAbsentRankMaySleepBeStoppedOrDead) {
  Job job = barrier_that_lacks(5);
  job.becomes(5, JobProcess::sleeping);
  EXPECT_THAT(job.lines(),
              ElementsAre(HasSubstr("rank 5 has not come to MPI_Barrier #4 on world: asleep outside MPI")));
  job.becomes(5, JobProcess::stopped);
  EXPECT_THAT(job.lines(),
              ElementsAre(HasSubstr("STALL stopped: rank 5: stopped by a signal after MPI_Allreduce")));
  job.becomes(5, JobProcess::dead);
  EXPECT_THAT(job.told(), ElementsAre("dead 5 <- 0-4,6-7"));
}

TEST(JobAnalysis, ARankThatIsStoppedInsideTheOperationIsTheCause) {
  Job job = barrier_that_lacks(5);
  job.collective(5, "MPI_Barrier", 4);
  job.becomes(5, JobProcess::stopped);
  EXPECT_THAT(job.told(), ElementsAre("stopped 5 <- 0-4,6-7"));
}

TEST(JobAnalysis, ARankInAnotherCallIsNamedWithThatCall) {
  Job job = barrier_that_lacks(5);
  job.in(5, "MPI_Iprobe", MpiClass::probe, Job::world, 2500ms);
  EXPECT_THAT(job.lines(),
              ElementsAre(HasSubstr("rank 5 has not come to MPI_Barrier #4 on world: in MPI_Iprobe on "
                                    "world for 2.5s")));
}

TEST(JobAnalysis, ARankThatMakesProgressIsSlowButAlive) {
  Job job = barrier_that_lacks(5);
  job.left(5, "MPI_Allreduce", 3, 20ms);
  EXPECT_THAT(job.told(), ElementsAre("slow but alive 5 <- 0-4,6-7"));
  for (std::uint32_t rank : {0, 1, 2, 3, 4, 6, 7}) job.collective(rank, "MPI_Barrier", 4, Job::world, 2200ms);
  EXPECT_THAT(job.told(), IsEmpty()) << "it may be about to enter a circle";
}

TEST(JobAnalysis, TheRootThatHasLeftABroadcastIsNotAbsent) {
  Job job(4);
  for (std::uint32_t rank : {2, 3}) job.collective(rank, "MPI_Bcast", 9).root = 0;
  job.left(0, "MPI_Bcast", 9, 5s);
  job.left(1, "MPI_Bcast", 8, 5s);
  EXPECT_THAT(job.told(), ElementsAre("absent 1 <- 2-3"));
}

TEST(JobAnalysis, TheMinorityOfDifferentCallsIsNamed) {
  Job job(8);
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    job.collective(rank, rank == 2 ? "MPI_Barrier" : "MPI_Allreduce", 5);
  EXPECT_THAT(job.told(), ElementsAre("mismatch 2 <- 0-1,3-7"));
  EXPECT_THAT(job.lines(),
              ElementsAre(HasSubstr(
                  "STALL mismatch: rank 2 called MPI_Barrier, ranks 0-1,3-7 called MPI_Allreduce as #5 on "
                  "world; 7 ranks wait")));
}

TEST(JobAnalysis, ADifferentRootOrSizeIsAMismatchEvenIfTheRankHasLeft) {
  Job job(4);
  for (std::uint32_t rank = 0; rank < 3; ++rank) job.collective(rank, "MPI_Bcast", 5).root = 0;
  JobCall other;
  other.function = test::function("MPI_Bcast");
  other.of = MpiClass::collective;
  other.root = 3;
  job.look.calls[{Job::world, 0, 5}][3] = other;
  job.begun(3, 5);
  EXPECT_THAT(job.lines(),
              ElementsAre(HasSubstr("rank 3 called MPI_Bcast root 3, ranks 0-2 called MPI_Bcast root 0")));

  Job sizes(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    sizes.collective(rank, "MPI_Allreduce", 5).bytes = rank == 1 ? 16 : 8;
  EXPECT_THAT(sizes.lines(), ElementsAre(HasSubstr("rank 1 called MPI_Allreduce of 16 B, ranks 0,2-3 called "
                                                   "MPI_Allreduce of 8 B")));
}

TEST(JobAnalysis, BytesThatAreNotKnownOrMayDifferAreNoMismatch) {
  Job job(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    job.collective(rank, "MPI_Allgather", 5).bytes = rank == 0 ? 0 : 8;
  EXPECT_THAT(job.told(), ElementsAre("inside 0-3 <- "));
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.collective(rank, "MPI_Alltoallv", 6).bytes = rank;
  EXPECT_THAT(job.told(), ElementsAre("inside 0-3 <- "));
}

TEST(JobAnalysis, AnOperationWhoseMembersHaveHardlyRunIsNoStall) {
  Job job(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.collective(rank, "MPI_Barrier", 5);
  job.look.ranks[2].threads.front().lacks_processor = true;
  EXPECT_THAT(job.told(), IsEmpty());
  job.look.ranks[2].threads.front().lacks_processor = false;
  EXPECT_THAT(job.told(), ElementsAre("inside 0-3 <- "));
}

TEST(JobAnalysis, OperationsOfTwoCommunicatorsInAnotherOrderAreNamed) {
  Job job(8);
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    job.collective(rank, "MPI_Barrier", 1, rank == 6 ? Job::rows : Job::world);
  EXPECT_THAT(job.told(), ElementsAre("order 6 <- 0-5,7"));
  EXPECT_THAT(job.lines(),
              ElementsAre(AllOf(HasSubstr("rank 6 entered operations in another order: 6 in MPI_Barrier "
                                          "#1 on rows for 3.0s, 0-5,7 in MPI_Barrier #1 on world"))));
}

TEST(JobAnalysis, AReceiveFromARankInABarrierIsALostMessage) {
  Job job(8);
  for (std::uint32_t rank = 0; rank < 8; ++rank) job.collective(rank, "MPI_Barrier", 4);
  job.receive(3, 2, 9);
  job.look.begun.erase({3, Job::world, std::uint16_t{0}});
  EXPECT_THAT(job.told(), ElementsAre("lost message 3 <- 0-2,4-7"));
  job.look.unreceived[{2, 3}] = {{.communicator = Job::world, .tag = 8, .bytes = 40}};
  EXPECT_THAT(job.lines(),
              ElementsAre(AllOf(HasSubstr("rank 3 waits for a message that has no other side: in MPI_Recv "
                                          "from 2 tag 9 on world for 3.0s"),
                                HasSubstr("sent to it and not received: tag 8 (40 B)"))));
}

TEST(JobAnalysis, ASendToARankThatHasEndedIsALostMessage) {
  Job job(2);
  job.send(0, 1, 7);
  job.becomes(1, JobProcess::ended);
  EXPECT_THAT(job.told(), ElementsAre("lost message 0 <- "));
  EXPECT_THAT(job.lines(), ElementsAre(HasSubstr("MPI_Send to 1 tag 7 (1 MiB) on world")));
}

TEST(JobAnalysis, SendsThatWaitForEachOtherAreACycle) {
  Job job(4);
  for (std::uint32_t rank = 0; rank < 3; ++rank) job.send(rank, (rank + 1) % 3);
  job.receive(3, 0);
  EXPECT_THAT(job.told(), ElementsAre("cycle 0-2 <- 3"));
}

TEST(JobAnalysis, AWaitForAllNeedsAllAndOneForAnyNeedsOne) {
  Job job(3);
  const std::vector<AwaitedPart> both{Job::part(What::receive, 1), Job::part(What::receive, 2)};
  job.receive(1, 0);
  job.wait(0, "MPI_Waitall", both);
  EXPECT_THAT(job.told(), ElementsAre("absent 2 <- 0-1", "cycle 0-1 <- ")) << "rank 2 alone cannot end it";
  job.wait(0, "MPI_Waitany", both, true);
  EXPECT_THAT(job.told(), ElementsAre("absent 2 <- 0-1")) << "rank 2 can";
  job.receive(2, 0);
  EXPECT_THAT(job.told(), ElementsAre("cycle 0-2 <- "));
}

TEST(JobAnalysis, AReceiveFromAnyIsStuckOnlyIfNoMemberCanSend) {
  Job job(4);
  job.receive(0, std::nullopt);
  for (std::uint32_t rank = 1; rank < 4; ++rank) job.receive(rank, 0);
  EXPECT_THAT(job.told(), ElementsAre("cycle 0-3 <- "));
  job.look.ranks[2].threads[0].in_flight.reset();
  EXPECT_THAT(job.told(), ElementsAre("absent 2 <- 0-1,3"));
}

TEST(JobAnalysis, AMessageToItselfIsACycleOfOne) {
  Job job(2);
  job.receive(0, 0);
  EXPECT_THAT(job.told(), ElementsAre("cycle 0 <- "));
}

TEST(JobAnalysis, ARankWithAnotherThreadThatIsFreeIsInNoCycle) {
  Job job(2);
  job.receive(0, 1);
  job.receive(1, 0);
  job.look.ranks[1].threads.push_back({.thread = 7});
  EXPECT_THAT(job.told(), ElementsAre("absent 1 <- 0"));
}

TEST(JobAnalysis, AnOverdueCallWithoutKnownPartnersIsAStallOfItsOwn) {
  Job job(2);
  job.in(1, "MPI_Wait", MpiClass::complete, MpiCallRecord::no_communicator, 5s);
  EXPECT_THAT(job.told(), ElementsAre("inside 1 <- "));
}

TEST(JobAnalysis, WithinTheLimitOfItsCommunicatorAWaitIsNoStall) {
  Job job = barrier_that_lacks(5);
  EXPECT_EQ(job.told().size(), 1u);
  job.limits.add(Job::world, 1600ms);
  EXPECT_THAT(job.told(), IsEmpty()) << "3 s < 2 * 1.6 s";
  for (int i = 0; i < 4096; ++i) job.limits.add(Job::world, 1ms);
  EXPECT_EQ(job.told().size(), 1u) << "the long call is forgotten";
}

TEST(JobAnalysis, CausesComeWithTheRanksThatWaitForThem) {
  // 1 computes; 0 waits for it, 2 for 0, and 3 to 7 for 2 in a barrier.
  Job job(8);
  for (std::uint32_t rank = 3; rank < 8; ++rank) job.collective(rank, "MPI_Barrier", 1);
  job.look.members[Job::world] = RankSet::of_range(2, 7);
  job.receive(0, 1);
  job.receive(2, 0);
  EXPECT_THAT(job.told(), ElementsAre("absent 1 <- 0,2-7"));
}

// --- polls ---

TEST(JobAnalysis, RanksThatPollForUnsentMessagesWaitForEachOther) {
  Job job(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    job.poll(rank, "MPI_Iprobe", {Job::part(What::receive, std::nullopt, 99)});
  EXPECT_THAT(job.lines(),
              ElementsAre("STALL cycle: ranks 0-3 wait for each other in a circle: 0-3 polling MPI_Iprobe "
                          "from any tag 99 on world in vain for 3.0s"));
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    job.poll(rank, "MPI_Test", {Job::part(What::receive, (rank + 1) % 4)});
  EXPECT_THAT(job.told(), ElementsAre("cycle 0-3 <- "));
  job.poll(2, "MPI_Test", {Job::part(What::receive, 3)}, 10ms);
  EXPECT_THAT(job.told(), Not(testing::Contains(HasSubstr("cycle")))) << "it has just found something";
}

TEST(JobAnalysis, APollForARankInABarrierIsALostMessage) {
  Job job(4);
  for (std::uint32_t rank = 1; rank < 4; ++rank) job.collective(rank, "MPI_Barrier", 4);
  job.poll(0, "MPI_Test", {Job::part(What::receive, 1, 9)});
  EXPECT_THAT(job.told(), ElementsAre("lost message 0 <- 1-3"));
  EXPECT_THAT(job.lines(), ElementsAre(HasSubstr("polling MPI_Test from 1 tag 9 on world in vain for 3.0s")));
}

TEST(JobAnalysis, APollForOneMessageWaitsLikeAReceive) {
  Job job(2);
  job.poll(0, "MPI_Test", {Job::part(What::receive, 1)});
  EXPECT_THAT(job.told(), ElementsAre("absent 1 <- 0"));
  job.limits.add(Job::world, 1600ms);
  EXPECT_THAT(job.told(), IsEmpty()) << "3 s < 2 * 1.6 s";
}

TEST(JobAnalysis, AMasterThatPollsWhileItsWorkersComputeIsHealthy) {
  Job job(3);
  job.poll(0, "MPI_Iprobe", {Job::part(What::receive, std::nullopt)}, 60s);
  EXPECT_THAT(job.told(), IsEmpty());
  job.poll(0, "MPI_Testany", {Job::part(What::receive, 1), Job::part(What::receive, 2)}, 60s);
  EXPECT_THAT(job.told(), IsEmpty());
  job.receive(1, 0);
  job.receive(2, 0);
  EXPECT_THAT(job.told(), ElementsAre("cycle 0-2 <- ")) << "now nobody sends";
}

TEST(JobAnalysis, ThePollsOfOneThreadDoNotHoldUpTheOthers) {
  Job job(2);
  for (std::uint32_t rank : {0u, 1u}) {
    job.poll(rank, "MPI_Iprobe", {Job::part(What::receive, std::nullopt)}, 60s);
    job.look.ranks[rank].threads.push_back({.thread = 7 + rank});
  }
  EXPECT_THAT(job.told(), IsEmpty()) << "the other threads compute";
}

// --- jobs of many ranks ---

class JobsOfManyRanks : public testing::TestWithParam<std::uint32_t> {};

std::size_t length(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), lines.size(),
                         [](std::size_t sum, const std::string& line) { return sum + line.size(); });
}

TEST_P(JobsOfManyRanks, AReportFitsAScreen) {
  const std::uint32_t size = GetParam();
  const Job one = barrier_that_lacks(size / 2, size);
  EXPECT_LT(length(one.lines()), 240u);

  Job half(size);  // every other rank is absent, with one of many activities
  for (std::uint32_t rank = 0; rank < size; rank += 2) half.collective(rank, "MPI_Barrier", 4);
  for (std::uint32_t rank = 1; rank < size; rank += 2)
    half.in(rank, test::name_of(rank % 40), MpiClass::manage, MpiCallRecord::no_communicator, 3s);
  EXPECT_LT(length(half.lines()), 1200u) << testing::PrintToString(half.lines());

  Job ring(size);
  for (std::uint32_t rank = 0; rank < size; ++rank) ring.send(rank, (rank + 1) % size);
  EXPECT_EQ(ring.told().size(), 1u);
  EXPECT_LT(length(ring.lines()), 240u) << testing::PrintToString(ring.lines());

  Job pairs(size);  // one cause for each pair
  for (std::uint32_t rank = 0; rank < size; rank += 2) {
    pairs.receive(rank, rank + 1);
    pairs.receive(rank + 1, rank);
  }
  EXPECT_LE(pairs.lines().size(), 12u);
  EXPECT_LT(length(pairs.lines()), 2500u);
  EXPECT_THAT(pairs.lines().back(), HasSubstr("more"));
}

// Except the numbers themselves, the text on a barrier does not depend on the number of ranks.
INSTANTIATE_TEST_SUITE_P(Ranks, JobsOfManyRanks, testing::Values(64, 4096));

}  // namespace
}  // namespace eventspace
