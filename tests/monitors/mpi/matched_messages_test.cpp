#include "monitors/mpi/matched_messages.h"

#include <gmock/gmock.h>

#include "scopes/tree/view_events.h"
#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::JobView;
using testing::IsEmpty;
using testing::SizeIs;
using Late = MessageWaits::Late;

/// A job of four ranks. Its calls are matched when `look` is called.
class MatchedMessagesTest : public testing::Test {
 protected:
  static MpiCallRecord sends(std::uint32_t to, std::uint32_t tag = 7) {
    return JobView::message("MPI_Send", MpiClass::send, to, tag);
  }
  static MpiCallRecord receives(std::uint32_t from, std::uint32_t tag = 7) {
    return JobView::message("MPI_Recv", MpiClass::receive, from, tag);
  }
  static MpiCallRecord with_request(MpiCallRecord call, const std::string& function, std::uint32_t request) {
    call.call = test::function(function);
    call.request = request;
    return call;
  }
  /// A wait that has completed the request of this call.
  static MpiCallRecord wait_for(const MpiCallRecord& made_by, const std::string& function = "MPI_Wait") {
    MpiCallRecord wait = JobView::call(function, MpiClass::complete);
    wait.take_request(made_by);
    wait.requests = 1;
    return wait;
  }
  void look() {
    std::map<std::uint32_t, const ProcessReport*> processes;
    for (const ProcessReport& process : job.view.processes) processes[process.process] = &process;
    for_each_event(job.view.records.whole(), [&](std::span<const TraceTuple> event) {
      const std::uint32_t process = process_of_local_id(header_of(event.back()).thread);
      matched.add(process - 1, event, *processes.at(process), 1);
    });
    job.view.records.clear();
  }
  nanoseconds waited(std::uint32_t waiting, std::uint32_t partner, Late late) const {
    const auto sum = matched.sums().find({waiting, partner, late});
    return sum == matched.sums().end() ? nanoseconds(0) : sum->second.waited;
  }

  JobView job{4};
  JobCommunicators communicators{job.names};
  CallReader reader{communicators};
  MatchedMessages matched{reader};
};

TEST_F(MatchedMessagesTest, AReceiveWaitsUntilItsMessageIsSent) {
  job.add(0, receives(1), 1s, 3100ms);
  job.add(1, sends(0), 3s, 3050ms);
  look();
  EXPECT_TRUE(matched.is_exact());
  EXPECT_EQ(waited(0, 1, Late::sender), 2s);
  EXPECT_THAT(matched.sums(), SizeIs(1));
}

TEST_F(MatchedMessagesTest, ASendWaitsUntilItIsReceivedIfItDoesNotEndBefore) {
  job.add(0, sends(1), 1s, 4s);
  job.add(1, receives(0), 3s, 4s);
  job.add(2, sends(3), 1s, 1001ms);  // sent ahead
  job.add(3, receives(2), 3s, 3001ms);
  look();
  EXPECT_EQ(waited(0, 1, Late::receiver), 2s);
  EXPECT_THAT(matched.sums(), SizeIs(1));
}

TEST_F(MatchedMessagesTest, MessagesAreMatchedInOrderByPartnerAndTag) {
  job.add(1, sends(0, 5), 1s, 1001ms);
  job.add(1, sends(0, 6), 2s, 2001ms);
  job.add(1, sends(0, 5), 3s, 3001ms);
  job.add(0, receives(1, 6), 1500ms, 2100ms);  // half a second late
  job.add(0, receives(1, 5), 2200ms, 2201ms);
  job.add(0, receives(1, 5), 2300ms, 3100ms);  // 700 ms late
  look();
  const auto sum = matched.sums().at({0, 1, Late::sender});
  EXPECT_EQ(sum.messages, 2u);
  EXPECT_EQ(sum.waited, 1200ms);
}

TEST_F(MatchedMessagesTest, TheWaitForANonBlockingMessageCountsAsWaiting) {
  const MpiCallRecord receive = with_request(receives(1), "MPI_Irecv", 9);
  const MpiCallRecord send = with_request(sends(0), "MPI_Isend", 3);
  job.add(0, receive, 1s, 1001ms);
  job.add(0, wait_for(receive), 2s, 3100ms);
  job.add(1, send, 3s, 3001ms);
  job.add(1, wait_for(send), 3002ms, 3003ms);
  look();
  EXPECT_TRUE(matched.is_exact());
  EXPECT_EQ(waited(0, 1, Late::sender), 1s);
  EXPECT_THAT(matched.sums(), SizeIs(1));
}

TEST_F(MatchedMessagesTest, AWaitForANonBlockingSendWaitsForTheReceiver) {
  const MpiCallRecord send = with_request(sends(1), "MPI_Isend", 3);
  job.add(0, send, 1s, 1001ms);
  job.add(0, wait_for(send), 2s, 5100ms);
  job.add(1, receives(0), 5s, 5100ms);
  look();
  EXPECT_EQ(waited(0, 1, Late::receiver), 3s);
}

TEST_F(MatchedMessagesTest, AMessageIsMatchedWhenItsOtherSideComesInALaterView) {
  job.add(0, receives(1), 1s, 3100ms);
  look();
  EXPECT_THAT(matched.sums(), IsEmpty());
  job.add(1, sends(0), 3s, 3050ms);
  look();
  EXPECT_EQ(waited(0, 1, Late::sender), 2s);
}

TEST_F(MatchedMessagesTest, WithoutTheFirstCallsItIsNotExact) {
  job.add(0, receives(1), 1s, 2s);
  job.view.records.clear();
  job.add(0, receives(1), 3s, 4s);
  look();
  EXPECT_FALSE(matched.is_exact());
}

TEST_F(MatchedMessagesTest, AMessageThatComesBeforeItIsSentShowsThatSendsAreMissing) {
  job.add(0, receives(1), 1s, 2s);
  job.add(1, sends(0), 3s, 3050ms);
  look();
  EXPECT_FALSE(matched.is_exact());
}

TEST_F(MatchedMessagesTest, WhereSendsAreNotRecordedItIsNotExact) {
  job.add(0, receives(1), 1s, 2s);
  look();
  EXPECT_FALSE(matched.is_exact());  // the sender has not been seen at all
  job.add(1, JobView::collective("MPI_Barrier", 1), 500ms, 1500ms);
  look();
  EXPECT_TRUE(matched.is_exact());  // its send may come
  job.add(1, JobView::collective("MPI_Barrier", 2), 3s, 4s);
  look();
  EXPECT_FALSE(matched.is_exact());
}

TEST_F(MatchedMessagesTest, PersistentRequestsBeginWhenTheyAreStarted) {
  MpiCallRecord prepared = JobView::message("MPI_Recv_init", MpiClass::start, 1);
  prepared.request_of = MpiClass::receive;
  prepared.request = 4;
  MpiCallRecord as_receive = prepared;
  as_receive.of = MpiClass::receive;
  as_receive.request_of.reset();
  MpiCallRecord started = prepared;
  started.call = test::function("MPI_Start");
  started.requests = 1;
  job.add(0, prepared, 1s, 1001ms);
  for (const auto at : {2s, 5s}) {
    job.add(0, started, at, at + 1ms);
    job.add(0, wait_for(as_receive), at + 2ms, at + 1s);
    job.add(1, sends(0), at + 502ms, at + 503ms);
  }
  look();
  EXPECT_TRUE(matched.is_exact());
  EXPECT_EQ(waited(0, 1, Late::sender), 1s);
}

TEST_F(MatchedMessagesTest, RequestsThatNoCallCompletesAreForgotten) {
  for (std::uint32_t request = 1; request < 2 * MatchedMessages::max_requests; ++request)
    job.add(0, with_request(sends(1), "MPI_Isend", request), 1s, 1001ms);
  for (std::uint32_t i = 1; i < 2 * MatchedMessages::max_requests; ++i) job.add(1, receives(0), 2s, 2001ms);
  look();
  EXPECT_TRUE(matched.is_exact());
  EXPECT_THAT(matched.sums(), IsEmpty());
}

}  // namespace
}  // namespace eventspace
