#include "monitors/collectives/mpi_collectives.h"

#include <gmock/gmock.h>

#include <sstream>

#include "monitors/collectives/command/job_totals_printer.h"
#include "monitors/collectives/command/summary_printer.h"
#include "monitors/collectives/command/summary_report.h"
#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class MpiCollectivesTest : public testing::Test {
 protected:
  /// All ranks call at 1 s, but `late` at 3 s; all return at 3 s.
  void operation(std::uint32_t ordinal, std::uint32_t late) {
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      job.add(rank, JobView::collective("MPI_Allreduce", ordinal), rank == late ? 3s : 1s, 3s + 1us);
  }
  JobView job{4};
  MpiCollectives collectives{job.names, {}, {}};
};

TEST_F(MpiCollectivesTest, TheLastOneIsNamedWithItsCallAndWhatItCost) {
  job.names.sites[site_in_scope(JobView::thread(2), 0)] = "";
  operation(1, 2);
  const auto told = collectives.observe(job.view, {});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].report.number, 1u);
  EXPECT_EQ(told[0].call.text(), "MPI_Allreduce");
  const auto& world = collectives.collective(told[0].collective);
  EXPECT_EQ(world.shape.name, "world (4)");
  ASSERT_TRUE(told[0].report.last.name());
  EXPECT_EQ(world.shape.edges[*told[0].report.last.name()].name, "rank 2");
  EXPECT_NEAR(world.totals.threads()[2].cost.ns, 6e9, 1e6);
  const auto rows = collectives.summary().rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]->call.operation, "MPI_Allreduce");
  EXPECT_NEAR(rows[0]->waiting.ns, 6e9, 1e6);
}

TEST_F(MpiCollectivesTest, ARankThatLeavesEarlyWaitsNoLongerThanItsCall) {
  job.add(0, JobView::collective("MPI_Bcast", 1), 1s, 1001ms);  // the root
  for (std::uint32_t rank = 1; rank < 4; ++rank)
    job.add(rank, JobView::collective("MPI_Bcast", 1), 5s, 5001ms);
  const auto told = collectives.observe(job.view, {});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_NEAR(static_cast<double>(told[0].report.waited[0]->ns), 1e6, 1e4);
}

TEST_F(MpiCollectivesTest, AnOperationThatLacksARankIsOpen) {
  for (std::uint32_t rank = 1; rank < 4; ++rank) job.add(rank, JobView::collective("MPI_Barrier", 1), 1s);
  collectives.observe_under_way(job.view);
  const auto open = collectives.open();
  ASSERT_THAT(open, SizeIs(1));
  EXPECT_THAT(open[0].report.absent, ElementsAre(0u));
}

TEST_F(MpiCollectivesTest, CommunicatorsAreChosenByName) {
  MpiCollectives others(job.names, {"other*"}, {});
  operation(1, 2);
  EXPECT_THAT(others.observe(job.view, {}), SizeIs(0));
  MpiCollectives chosen(job.names, {"world*"}, {});
  EXPECT_THAT(chosen.observe(job.view, {}), SizeIs(1));
}

TEST_F(MpiCollectivesTest, OperationsOnCommunicatorsWithoutKnownMembersAreCounted) {
  job.names.members.clear();
  operation(1, 2);
  EXPECT_THAT(collectives.observe(job.view, {}), SizeIs(0));
  EXPECT_EQ(collectives.left_out(), 4u);
}

TEST_F(MpiCollectivesTest, AnotherRunNumbersItsOperationsFromTheBeginning) {
  operation(1, 2);
  EXPECT_THAT(collectives.observe(job.view, {}), SizeIs(1));
  JobView again(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    job.names.processes[rank + 11] = "app." + std::to_string(rank);
    again.view.processes[rank].process = rank + 11;
    const std::uint32_t thread = *local_ids_of(rank + 11);
    again.add(rank, JobView::collective("MPI_Allreduce", 1), 1s, 2s);
    again.view.records.whole().back().words[2] = record_words::thread_path(thread, thread);
  }
  const auto told = collectives.observe(again.view, {});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].run, 2u);
}

TEST_F(MpiCollectivesTest, ACollectiveThatIsFirstSeenUnderWayHasTheNodesOfAllItsRanks) {
  job.add(0, JobView::collective("MPI_Barrier", 1), 1s);
  collectives.observe_under_way(job.view);
  ASSERT_EQ(collectives.size(), 1u);
  for (const auto& edge : collectives.collective(0).shape.edges) EXPECT_EQ(edge.node, "n1") << edge.name;
}

// As in a recording: the views of the processes come one after the other.
TEST_F(MpiCollectivesTest, ARankThatIsSeenAfterTheFirstOperationHasItsNode) {
  operation(1, 2);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    View of_one = job.view;
    std::erase_if(of_one.processes, [&](const ProcessReport& report) { return report.process != rank + 1; });
    erase_if(of_one.records,
             [&](const TraceTuple& record) { return header_of(record).thread != JobView::thread(rank); });
    (void)collectives.observe(of_one, {});
  }
  ASSERT_EQ(collectives.size(), 1U);
  const auto& world = collectives.collective(0);
  for (const auto& edge : world.shape.edges) EXPECT_EQ(edge.node, "n1") << edge.name;
  EXPECT_EQ(world.shape.joints[0].node, "n1");
  ASSERT_THAT(world.totals.nodes(), SizeIs(1));
  EXPECT_NEAR(world.totals.nodes().at("n1").cost.ns, 6e9, 1e6);
}

TEST_F(MpiCollectivesTest, AnOperationUnderWayHidesNoEarlierOne) {
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.add(rank, JobView::collective("MPI_Allreduce", 5), 4s);
  collectives.observe({}, {});
  collectives.observe_under_way(job.view);
  collectives.observe({}, {});
  JobView earlier(4);
  std::swap(job.view, earlier.view);
  for (std::uint32_t number = 1; number < 5; ++number) operation(number, 2);
  EXPECT_THAT(collectives.observe(job.view, {}), SizeIs(4));
}

TEST_F(MpiCollectivesTest, TheLastEventsOfARunThatComeWithTheNextRunAreOfThatRun) {
  operation(1, 2);
  collectives.observe(job.view, {});
  job.view.records.clear();
  operation(2, 2);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    job.add(rank, JobView::call("MPI_Finalize", MpiClass::manage), 4s, 5s);
  EXPECT_TRUE(collectives.ranks().finalized.empty());
  for (ProcessReport& process : job.view.processes) process.state = RunState::ended;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    ProcessReport next = job.view.processes[rank];
    next.process = 21 + rank;
    next.state = RunState::running;
    job.names.processes[next.process] = "app." + std::to_string(rank);
    job.view.processes.push_back(next);
  }
  const auto told = collectives.observe(job.view, {});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].report.number, 2u);
  EXPECT_EQ(told[0].report.state, OperationState::complete);
  EXPECT_EQ(told[0].run, 1u);
  EXPECT_EQ(collectives.runs(), 2u);
}

TEST_F(MpiCollectivesTest, RanksThatHaveReturnedFromFinalizeAreKnown) {
  operation(1, 2);
  for (std::uint32_t rank : {0, 1, 3}) job.add(rank, JobView::call("MPI_Finalize", MpiClass::manage), 4s, 5s);
  collectives.observe(job.view, {});
  EXPECT_EQ(collectives.ranks().seen.to_text(), "0-3");
  EXPECT_EQ(collectives.ranks().finalized.to_text(), "0-1,3");
}

TEST_F(MpiCollectivesTest, TotalsSayWhichRankCostTheJobHowMuch) {
  operation(1, 2);
  job.add(3, JobView::message("MPI_Send", MpiClass::send, 0), 4s, 4001ms);
  job.add(3, JobView::message("MPI_Send", MpiClass::send, 0), 6500ms, 6501ms);
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 3), 4s, 4001ms);
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 3), 5s, 7s);
  collectives.observe(job.view, {});
  std::ostringstream out;
  print_job_totals(out, Format::csv, collectives, 10);
  EXPECT_THAT(out.str(), HasSubstr(",rank,rank 3,,cost_as_late_sender,0,1500000000,"));
  EXPECT_THAT(out.str(), HasSubstr(",rank,rank 2,,cost,0,6000000000,"));
}

TEST_F(MpiCollectivesTest, TheSummaryNamesTheRankWithItsCallSitesAndItsShareOfTheRunTime) {
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    job.names.sites[site_in_scope(JobView::thread(rank), 0)] = "app+0x10";
  operation(1, 2);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    job.add(rank, JobView::collective("MPI_Bcast", 2), rank == 1 ? 4100ms : 4s, 4101ms);
  collectives.observe(job.view, {});
  // All ranks live, and are read at 10 s; most began at 1 s.
  EXPECT_EQ(collectives.run_time(), 9s);
  const SummaryReport report(collectives, &collectives, {});
  EXPECT_EQ(
      report.answer(),
      "rank 2 came last in 1 of 2 operations and cost the others 6.0s, 17% of the run time of all 4 ranks");
  EXPECT_THAT(report.certainty(), ElementsAre("certain: all records of these operations were read, and the "
                                              "last rank of each is known"));
  std::ostringstream out;
  print_summary(out, Format::text, report, 10);
  EXPECT_THAT(out.str(),
              HasSubstr("communicator  operation      call site  count  last most often  cost to others"));
  EXPECT_THAT(out.str(),
              HasSubstr("\nworld (4)     MPI_Allreduce  app+0x10   1      rank 2 (1)       6.0s +-"));
  EXPECT_THAT(out.str(),
              HasSubstr("\nworld (4)     MPI_Bcast      app+0x10   1      rank 1 (1)       300ms +-"));
}

TEST_F(MpiCollectivesTest, TheRunTimeEndsWithTheLastEventOfARankThatHasEnded) {
  operation(1, 2);
  for (ProcessReport& process : job.view.processes) process.state = RunState::ended;
  collectives.observe(job.view, {});
  EXPECT_EQ(collectives.run_time(), 2s + 1us);
}

TEST_F(MpiCollectivesTest, WhereMessagesCannotBeMatchedWaitsAreEstimatedFromDurations) {
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 3), 4s, 4001ms);
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 3), 5s, 7s);
  job.add(3, JobView::message("MPI_Send", MpiClass::send, 2), 8s, 8001ms);  // its sends to 0 are not recorded
  collectives.observe(job.view, {});
  std::ostringstream out;
  print_job_totals(out, Format::csv, collectives, 10);
  EXPECT_THAT(out.str(), HasSubstr(",rank,rank 3,,cost_as_late_sender,0,1999000000,"));
  EXPECT_THAT(out.str(), HasSubstr("rank 3,message,rank 0,,late sender,2,1999000000,,\n"));
}

}  // namespace
}  // namespace eventspace
