// Conversion of records to calls, to the known past, and to times of waiting.
#include <gmock/gmock.h>

#include "monitors/mpi/call_history.h"
#include "monitors/mpi/message_parts.h"
#include "scopes/tree/view_events.h"
#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using testing::IsEmpty;
using testing::SizeIs;
using What = AwaitedPart::What;

class CallRecordsTest : public testing::Test {
 protected:
  JobView job{4};
  JobCommunicators communicators{job.names};
  CallReader reader{communicators};

  JobCall read(std::uint32_t rank) { return reader.read(rank, first_event(job.view.records.whole())); }
  JobCall read_only(const MpiCallRecord& call) {
    job.view.records.clear();
    job.add(0, call, 1s);
    return read(0);
  }
  void add_all_to(CallHistory& history) {
    for_each_event(job.view.records.whole(), [&](std::span<const TraceTuple> event) {
      history.add(header_of(event.back()).thread / local_ids_per_process % 16 - 1, event, 0, 0);
    });
  }
};

TEST_F(CallRecordsTest, AReceiveAwaitsItsPartnerByItsRankInTheWorld) {
  job.names.communicators[20] = "odd (2)";
  job.names.members[20] = "3,1";
  MpiCallRecord receive = JobView::message("MPI_Recv", MpiClass::receive, 1, 9);
  receive.communicator = 20;
  job.add(3, receive, 1s);
  const JobCall call = read(3);
  ASSERT_THAT(call.awaits, SizeIs(1));
  EXPECT_EQ(call.awaits[0].what, What::receive);
  EXPECT_EQ(call.awaits[0].partner, 1u);
  EXPECT_EQ(call.awaits[0].tag, 9u);
}

TEST_F(CallRecordsTest, CallsThatReturnAtOnceAwaitNothing) {
  for (const auto& [name, of] :
       {std::pair("MPI_Isend", MpiClass::send), std::pair("MPI_Irecv", MpiClass::receive),
        std::pair("MPI_Ibarrier", MpiClass::collective), std::pair("MPI_Testall", MpiClass::complete),
        std::pair("MPI_Iprobe", MpiClass::probe)}) {
    ASSERT_NE(test::function(name), 0) << name;
    EXPECT_TRUE(is_immediate(JobView::call(name, of))) << name;
  }
  for (const auto& [name, of] :
       {std::pair("MPI_Send", MpiClass::send), std::pair("MPI_Waitany", MpiClass::complete),
        std::pair("MPI_Comm_split", MpiClass::manage)})
    EXPECT_FALSE(is_immediate(JobView::call(name, of))) << name;
}

TEST_F(CallRecordsTest, AWaitAwaitsEachOfItsRequests) {
  MpiCallRecord from_any = JobView::message("MPI_Irecv", MpiClass::receive, MpiCallRecord::none);
  from_any.wildcards = static_cast<std::uint8_t>(MpiWildcards::any_source);
  job.awaits(
      0, {JobView::message("MPI_Isend", MpiClass::send, 2), from_any, JobView::collective("MPI_Ibarrier", 5)},
      1s);
  job.add(0, JobView::call("MPI_Waitall", MpiClass::complete), 1s);
  const JobCall call = read(0);
  ASSERT_THAT(call.awaits, SizeIs(3));
  EXPECT_EQ(call.awaits[0].partner, 2u);
  EXPECT_EQ(call.awaits[0].what, What::send);
  EXPECT_EQ(call.awaits[1].partner, std::nullopt);
  EXPECT_EQ(call.awaits[2].operation, (JobOperation{JobView::world, 0, 5}));
  EXPECT_FALSE(call.needs_any);
}

TEST_F(CallRecordsTest, APartnerInAnUnknownCommunicatorIsNotAwaited) {
  MpiCallRecord receive = JobView::message("MPI_Recv", MpiClass::receive, 1);
  receive.communicator = 99;
  job.add(0, receive, 1s);
  EXPECT_THAT(read(0).awaits, IsEmpty());
}

TEST_F(CallRecordsTest, RanksOfTheWorldAreKnownWithoutItsMembers) {
  job.names.communicators[99] = "MPI_COMM_WORLD (3) or MPI_COMM_WORLD (4)";
  MpiCallRecord receive = JobView::message("MPI_Recv", MpiClass::receive, 1);
  receive.communicator = 99;
  job.add(0, receive, 1s);
  ASSERT_THAT(read(0).awaits, SizeIs(1));
  EXPECT_EQ(read(0).awaits[0].partner, 1u);
}

TEST_F(CallRecordsTest, TheHistoryKnowsHowFarRanksAreAndWhatTheyLeft) {
  CallHistory history(reader);
  job.add(1, JobView::collective("MPI_Bcast", 3), 1s, 2s);
  job.add(1, JobView::call("MPI_Comm_dup", MpiClass::manage), 2s, 3s);
  add_all_to(history);
  JobLook look;
  look.ranks.resize(4);
  history.complete(look);
  EXPECT_EQ((look.begun[{1, JobView::world, std::uint16_t{0}}]), 3u);
  EXPECT_EQ((look.begun[{1, JobView::world, test::function("MPI_Comm_dup")}]), 1u);
  EXPECT_EQ((look.calls[{JobView::world, 0, 3}].count(1)), 1u);
}

TEST_F(CallRecordsTest, OnlyTheNewestOperationsOfACommunicatorAreKept) {
  CallHistory history(reader);
  for (std::uint32_t ordinal = 1; ordinal <= 1000; ++ordinal)
    job.add(1, JobView::collective("MPI_Bcast", ordinal), 1s, 2s);
  add_all_to(history);
  JobLook look;
  history.complete(look);
  EXPECT_THAT(look.calls, SizeIs(CallHistory::operations_kept));
  EXPECT_EQ(look.calls.begin()->first.number, 1001 - CallHistory::operations_kept);
}

TEST_F(CallRecordsTest, MessagesThatWereSentAndNotReceivedAreKnownIfAllCallsAre) {
  CallHistory history(reader);
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 1, 41, 40), 1s, 2s);
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 1, 42, 8), 2s, 3s);
  job.add(1, JobView::message("MPI_Recv", MpiClass::receive, 0, 42, 8), 2s, 3s);
  add_all_to(history);
  JobLook look;
  history.complete(look);
  ASSERT_THAT((look.unreceived[{0, 1}]), SizeIs(1));
  EXPECT_EQ((look.unreceived[{0, 1}][0].tag), 41u);
  history.miss();
  JobLook after_loss;
  history.complete(after_loss);
  EXPECT_TRUE(after_loss.unreceived.empty());
}

TEST_F(CallRecordsTest, ACallOnAnUnknownCommunicatorMayCrossToAnotherJob) {
  for (MpiCallRecord call :
       {JobView::message("MPI_Recv", MpiClass::receive, 0), JobView::collective("MPI_Barrier", 0),
        JobView::call("MPI_Comm_disconnect", MpiClass::manage)}) {
    call.communicator = MpiCallRecord::other_communicator;
    const JobCall read = read_only(call);
    EXPECT_TRUE(read.crosses) << name_of_mpi_call(call.call);
    EXPECT_THAT(read.awaits, testing::IsEmpty());
    call.communicator = JobView::world;
    EXPECT_FALSE(read_only(call).crosses);
  }
}

// --- message_waits ---

TEST(MessageWaits, TimeBeyondTheShortestCallOfTheClassIsWaiting) {
  MessageWaits waits;
  const MessageWaits::Pair late{0, 1, MessageWaits::Late::sender};
  waits.add(late, 5, 100, 10us);
  waits.add(late, 5, 120, 510us);
  waits.add(late, 5, 1'000'000, 900us);  // the only call of its class
  const auto sums = waits.sums();
  ASSERT_THAT(sums, SizeIs(1));
  EXPECT_EQ(sums.at(late).calls, 3u);
  EXPECT_EQ(sums.at(late).waited, 500us);
}

TEST_F(CallRecordsTest, AReceiveWaitsForALateSenderAndASendForALateReceiver) {
  const auto pair_of = [&](const MpiCallRecord& call) {
    job.view.records.clear();
    job.add(2, call, 1s, 2s);
    return message_call(reader, 2, first_event(job.view.records.whole()))->pair;
  };
  EXPECT_EQ(pair_of(JobView::message("MPI_Recv", MpiClass::receive, 3)),
            (MessageWaits::Pair{2, 3, MessageWaits::Late::sender}));
  EXPECT_EQ(pair_of(JobView::message("MPI_Ssend", MpiClass::send, 1)),
            (MessageWaits::Pair{2, 1, MessageWaits::Late::receiver}));
}

}  // namespace
}  // namespace eventspace
