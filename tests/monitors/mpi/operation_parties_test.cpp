#include "monitors/mpi/operation_parties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/monitors/mpi/job_story.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Job;
using testing::ElementsAre;

std::vector<std::string> parties_in(const Job& job) {
  const JobGraph graph(job.look, 0ns);
  std::vector<std::string> all;
  for (const RankSet& party : parties_of({Job::world, 0, 4}, job.look, graph)) all.push_back(party.to_text());
  return all;
}

TEST(OperationParties, MembersThatAgreeAreOneParty) {
  Job job(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.collective(rank, "MPI_Barrier", 4);
  EXPECT_THAT(parties_in(job), ElementsAre("0-3"));
}

TEST(OperationParties, TheLargestPartyComesFirstThenThatWithTheLowestRank) {
  Job job(6);
  for (std::uint32_t rank = 0; rank < 6; ++rank)
    job.collective(rank, rank == 0 ? "MPI_Scan" : rank < 3 ? "MPI_Barrier" : "MPI_Bcast", 4);
  job.collective(5, "MPI_Gather", 4);
  EXPECT_THAT(parties_in(job), ElementsAre("1-2", "3-4", "0", "5"));
}

TEST(OperationParties, BytesMustAgreeOnlyIfTheyAreKnown) {
  Job job(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) job.collective(rank, "MPI_Bcast", 4).bytes = 8 * rank;
  EXPECT_THAT(parties_in(job), ElementsAre("0-1", "2"));
}

}  // namespace
}  // namespace eventspace
