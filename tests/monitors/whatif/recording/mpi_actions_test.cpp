// From records of MPI to actions, and the network that is fitted to them.
#include "monitors/whatif/recording/mpi_actions.h"

#include <gmock/gmock.h>

#include <eventspace/error.h>
#include "monitors/whatif/recording/fitted_network.h"
#include "monitors/whatif/simulation/simulate.h"
#include "scopes/tree/view_events.h"
#include "tests/error_text.h"
#include "tests/monitors/mpi/job_view.h"
#include "tests/monitors/whatif/actions/action_lines.h"

namespace eventspace::whatif {
namespace {

using std::chrono::nanoseconds;
using test::action_lines;
using test::JobView;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A job whose calls are added one after the other. Times are microseconds.
class MpiActionsTest : public testing::Test {
 protected:
  JobView job{3};

  static nanoseconds at(std::int64_t us) { return nanoseconds(us * 1000); }
  void call(std::uint32_t rank, const MpiCallRecord& record, std::int64_t begin, std::int64_t end) {
    job.add(rank, record, at(begin), at(end));
  }
  static MpiCallRecord with_request(MpiCallRecord record, std::uint32_t request) {
    record.request = request;
    return record;
  }
  static MpiCallRecord wait_for(MpiCallRecord made_by, const std::string& name, std::uint32_t requests = 1) {
    MpiCallRecord wait = JobView::call(name, MpiClass::complete);
    wait.take_request(made_by);
    wait.requests = requests;
    return wait;
  }
  void finalize(std::uint32_t rank, std::int64_t begin) {
    call(rank, JobView::call("MPI_Finalize", MpiClass::manage), begin, begin + 1);
  }

  RecordedProgram program() {
    RecordedTasks tasks("job.evs", 0);
    MpiActions mpi(tasks, job.names);
    for_each_event(job.view.records.whole(), [&](std::span<const TraceTuple> event) {
      const RecordHeader header = header_of(event.back());
      const auto rank = static_cast<std::uint32_t>(header.thread / local_ids_per_process % 16 - 1);
      mpi.add(rank, event, {static_cast<std::int64_t>(header.start), static_cast<std::int64_t>(header.end)});
    });
    mpi.finish();
    return tasks.finish("rank");
  }
};

TEST_F(MpiActionsTest, CallsBecomeActionsAndTheTimeBetweenThemIsComputing) {
  call(0, JobView::message("MPI_Send", MpiClass::send, 1, 7, 48), 100, 110);
  call(1, JobView::message("MPI_Recv", MpiClass::receive, 0, 7, 48), 90, 130);
  call(0, JobView::collective("MPI_Allreduce", 1), 150, 160);
  call(1, JobView::collective("MPI_Allreduce", 1), 155, 160);
  call(2, JobView::collective("MPI_Allreduce", 1), 120, 160);
  for (std::uint32_t rank = 0; rank < 3; ++rank) finalize(rank, 170);
  const RecordedProgram made = program();
  EXPECT_THAT(action_lines(made.program, 0),
              ElementsAre("idle 10us", "send 1 48B tag 7 group 1 takes 10us in MPI_Send", "compute 40us",
                          "allreduce 8B group 1 takes 10us in MPI_Allreduce", "compute 10us", "end"));
  EXPECT_THAT(action_lines(made.program, 1),
              ElementsAre("recv 0 48B tag 7 group 1 takes 40us in MPI_Recv", "compute 25us",
                          "allreduce 8B group 1 takes 5us in MPI_Allreduce", "compute 10us", "end"));
  EXPECT_EQ(made.program.recorded, 80'000'000);
  EXPECT_FALSE(made.program.cut);
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST_F(MpiActionsTest, AReceiveFromAnySourceGetsItsSourceWhenItIsComplete) {
  MpiCallRecord any =
      with_request(JobView::message("MPI_Irecv", MpiClass::receive, MpiCallRecord::none, 7, 100), 5);
  any.wildcards = static_cast<std::uint8_t>(MpiWildcards::any_source);
  MpiCallRecord came = any;
  came.partner = 2;
  came.bytes = 64;
  call(0, any, 10, 11);
  call(0, wait_for(came, "MPI_Wait"), 20, 40);
  call(2, JobView::message("MPI_Send", MpiClass::send, 0, 7, 64), 30, 31);
  call(1, JobView::call("MPI_Pcontrol", MpiClass::manage), 10, 11);
  for (std::uint32_t rank = 0; rank < 3; ++rank) finalize(rank, 50);
  EXPECT_THAT(action_lines(program().program, 0),
              ElementsAre("irecv 2 64B request 0 tag 7 group 1 takes 1us in MPI_Irecv wildcard",
                          "compute 9us", "wait 0 takes 20us in MPI_Wait", "compute 10us", "end"));
}

TEST_F(MpiActionsTest, WaitallAlsoCompletesSendsThatItsRecordsDoNotList) {
  const MpiCallRecord sent = with_request(JobView::message("MPI_Isend", MpiClass::send, 1, 3, 8), 1);
  const MpiCallRecord received = with_request(JobView::message("MPI_Irecv", MpiClass::receive, 1, 4, 8), 2);
  call(0, sent, 10, 11);
  call(0, received, 11, 12);
  job.awaits(0, {sent, received}, at(20));
  call(0, wait_for(received, "MPI_Waitall", 2), 20, 40);
  call(1, JobView::message("MPI_Send", MpiClass::send, 0, 4, 8), 10, 11);
  call(1, JobView::message("MPI_Recv", MpiClass::receive, 0, 3, 8), 11, 30);
  call(2, JobView::call("MPI_Pcontrol", MpiClass::manage), 10, 11);
  for (std::uint32_t rank = 0; rank < 3; ++rank) finalize(rank, 50);
  const RecordedProgram made = program();
  const auto actions = action_lines(made.program, 0);
  EXPECT_THAT(actions, testing::Contains(HasSubstr("wait 0 in MPI_Waitall")));
  std::size_t waits = 0;
  for (const std::string& line : actions) waits += line.starts_with("wait") ? 1 : 0;
  EXPECT_EQ(waits, 2U);
  EXPECT_TRUE(simulate(made.program, {}, {}).has_value());
}

TEST_F(MpiActionsTest, TestsAndProbesAreOverheadAndMarked) {
  call(0, JobView::call("MPI_Test", MpiClass::complete), 10, 12);
  call(0, JobView::message("MPI_Iprobe", MpiClass::probe, 1), 20, 23);
  call(0, JobView::call("MPI_Testany", MpiClass::look), 25, 29);
  call(0, JobView::message("MPI_Probe", MpiClass::probe, 1), 30, 43);
  call(1, JobView::call("MPI_Pcontrol", MpiClass::manage), 10, 11);
  call(2, JobView::call("MPI_Pcontrol", MpiClass::manage), 10, 11);
  for (std::uint32_t rank = 0; rank < 3; ++rank) finalize(rank, 50);
  const auto actions = action_lines(program().program, 0);
  EXPECT_THAT(actions, testing::Contains("overhead 2us in MPI_Test test"));
  EXPECT_THAT(actions, testing::Contains("overhead 3us in MPI_Iprobe probe"));
  EXPECT_THAT(actions, testing::Contains("overhead 4us in MPI_Testany test"));
  EXPECT_THAT(actions, testing::Contains("overhead 0 in MPI_Probe probe"));
}

TEST_F(MpiActionsTest, AJobThatDidNotEndIsCutWhereItsFirstRankIsNoLongerKnown) {
  call(0, JobView::message("MPI_Send", MpiClass::send, 1, 7, 48), 100, 110);
  call(1, JobView::message("MPI_Recv", MpiClass::receive, 0, 7, 48), 90, 130);
  call(0, JobView::message("MPI_Send", MpiClass::send, 1, 7, 48), 140, 150);
  call(2, JobView::message("MPI_Send", MpiClass::send, 1, 7, 48), 90, 145);
  const RecordedProgram made = program();
  ASSERT_TRUE(made.program.cut);
  EXPECT_EQ(made.program.cut->at, 40'000'000);
  EXPECT_EQ(made.program.cut->reason, "recording ended before rank 1 had ended");
  EXPECT_THAT(
      action_lines(made.program, 0),
      ElementsAre("idle 10us", "send 1 48B tag 7 group 1 takes 10us in MPI_Send", "compute 30us", "end"));
  EXPECT_TRUE(simulate(made.program, {}, {}).has_value());
}

TEST_F(MpiActionsTest, LostRecordsCutAndLossesAtTheBeginningLeaveNothing) {
  RecordedTasks tasks("job.evs", 0);
  tasks.call(0, {1000, 2000});
  tasks.add(0, {.kind = ActionKind::overhead});
  tasks.cut(1000, "7 records of rank 0 were lost");
  tasks.ends(0);
  EXPECT_EQ(test::error_text<ConfigurationError>([&] { (void)tasks.finish("rank"); }),
            "job.evs: nothing can be predicted: 7 records of rank 0 were lost");
}

TEST_F(MpiActionsTest, ARankWithoutRecordsIsNamed) {
  call(0, JobView::message("MPI_Send", MpiClass::send, 2, 7, 48), 100, 110);
  call(1, JobView::call("MPI_Pcontrol", MpiClass::manage), 10, 11);
  finalize(0, 150);
  finalize(1, 150);
  EXPECT_THAT(test::error_text<ConfigurationError>([&] { (void)program(); }),
              HasSubstr("found no actions of tasks 2"));
}

// Messages on a network of known parameters: fitting yields these, and the prediction is the run.
TEST_F(MpiActionsTest, TheFittedNetworkPredictsTheRunThatItWasFittedTo) {
  std::int64_t now = 1000;
  const auto transit = [](std::int64_t bytes) { return 20 + bytes / 100; };  // us: 10 ns a byte
  for (int i = 0; i < 60; ++i) {
    const std::int64_t bytes = 100 << (i % 8);
    const auto size = static_cast<std::uint64_t>(bytes);
    const std::int64_t there = now + transit(bytes);
    call(0, JobView::message("MPI_Send", MpiClass::send, 1, 7, size), now, now + 2);
    call(1, JobView::message("MPI_Recv", MpiClass::receive, 0, 7, size), now - 5, there);
    const std::int64_t back = there + 10 + transit(bytes);
    call(1, JobView::message("MPI_Send", MpiClass::send, 0, 7, size), there + 10, there + 12);
    call(0, JobView::message("MPI_Recv", MpiClass::receive, 1, 7, size), now + 4, back);
    now = back + 8;
  }
  call(2, JobView::call("MPI_Pcontrol", MpiClass::manage), 1000, 1001);
  for (std::uint32_t rank = 0; rank < 3; ++rank) finalize(rank, now);
  RecordedProgram made = program();
  const FittedNetwork fitted = fit_network(made);
  EXPECT_NEAR(fitted.transit.intercept_ns, 20'000, 600);
  EXPECT_NEAR(fitted.transit.ns_per_byte, 10, 0.3);
  EXPECT_NEAR(fitted.sending.intercept_ns, 2'000, 1);
  separate_overheads(made, fitted);
  const auto outcome = simulate(made.program, fitted.network, {});
  const auto recorded = static_cast<double>(*made.program.recorded);
  EXPECT_NEAR(static_cast<double>(outcome->execution), recorded, 0.03 * recorded);
}

}  // namespace
}  // namespace eventspace::whatif
