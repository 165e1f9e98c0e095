// Which two ends of messages belong together.
#include <gmock/gmock.h>

#include "monitors/export/reading/mpi_ends.h"
#include "scopes/tree/view_events.h"
#include "tests/monitors/mpi/job_view.h"

namespace eventspace::exports {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using testing::IsEmpty;
using testing::SizeIs;

/// A job of three ranks: each recorded call contains the ends of its messages.
class MessageEndsTest : public testing::Test {
 protected:
  using Ends = std::vector<MessageEnd>;

  Ends call(std::uint32_t rank, const MpiCallRecord& record, std::chrono::nanoseconds end = 1s,
            const std::vector<MpiCallRecord>& completed = {}) {
    JobView job{3};
    auto part = static_cast<std::uint8_t>(completed.size());
    for (const MpiCallRecord& one : completed) {
      job.add(rank, one, end - 1ms, end);
      job.view.records.whole().back().words[3] |= record_words::kind(0, 0, part--);
    }
    job.add(rank, record, end - 1ms, end);
    Ends ends;
    std::vector<MpiMessage> messages;
    ends_.read({rank, rank + 1, job.view.records.whole(), end.count(), false}, ends, messages);
    messages_ = std::move(messages);
    return ends;
  }
  Ends send(std::uint32_t from, std::uint32_t to, std::uint32_t tag = 7) {
    return call(from, JobView::message("MPI_Send", MpiClass::send, to, tag));
  }
  Ends receive(std::uint32_t at, std::uint32_t from, std::uint32_t tag = 7,
               std::chrono::nanoseconds end = 1s) {
    return call(at, JobView::message("MPI_Recv", MpiClass::receive, from, tag), end);
  }
  static MpiCallRecord posted(std::uint32_t request, std::uint32_t from, std::uint8_t wildcards = 0) {
    MpiCallRecord record = JobView::message("MPI_Irecv", MpiClass::receive, from);
    record.request = request;
    record.wildcards = wildcards;
    return record;
  }
  static MpiCallRecord wait_for(std::uint32_t request, std::uint32_t from) {
    MpiCallRecord record = JobView::message("MPI_Wait", MpiClass::complete, from);
    record.request = request;
    record.request_of = MpiClass::receive;
    record.requests = 1;
    return record;
  }
  static void expect_pair(const Ends& sent, const Ends& received, bool certain = true) {
    ASSERT_THAT(sent, SizeIs(1));
    ASSERT_THAT(received, SizeIs(1));
    EXPECT_EQ(sent[0].message, received[0].message);
    EXPECT_FALSE(sent[0].receives);
    EXPECT_TRUE(received[0].receives);
    EXPECT_EQ(sent[0].certain && received[0].certain, certain);
  }

  test::NamesOfJob& names() { return job_.names; }

  JobView job_{3};
  MpiEnds ends_{job_.names};
  std::vector<MpiMessage> messages_;
};

TEST_F(MessageEndsTest, MessagesOfARouteAreReceivedInTheirOrder) {
  const Ends first = send(0, 1), second = send(0, 1), other_tag = send(0, 1, 8), back = send(1, 0);
  expect_pair(other_tag, receive(1, 0, 8));
  expect_pair(first, receive(1, 0));
  expect_pair(second, receive(1, 0));
  expect_pair(back, receive(0, 1));
  EXPECT_THAT(messages_, SizeIs(1));
  EXPECT_EQ(messages_[0].partner, 1u);
}

TEST_F(MessageEndsTest, AReceiverMayBeSeenBeforeItsSender) {
  const Ends received = receive(1, 0);
  expect_pair(send(0, 1), received);
}

TEST_F(MessageEndsTest, RanksAreWorldRanksOnEveryCommunicator) {
  names().communicators[20] = "odd (2)";
  names().members[20] = "2,1";
  MpiCallRecord sends = JobView::message("MPI_Send", MpiClass::send, 0);
  sends.communicator = 20;  // rank 0 in it is 2
  MpiCallRecord receives = JobView::message("MPI_Recv", MpiClass::receive, 1);
  receives.communicator = 20;
  expect_pair(call(1, sends), call(2, receives));
}

TEST_F(MessageEndsTest, ARequestTakesTheMessageThatItsPlaceGivesItWheneverItIsCompleted) {
  const Ends first = send(0, 1), second = send(0, 1);
  EXPECT_THAT(call(1, posted(5, 0)), IsEmpty()) << "the call that completes it has the message";
  call(1, posted(6, 0));
  expect_pair(second, call(1, wait_for(6, 0)));
  expect_pair(first, call(1, wait_for(5, 0)));
}

TEST_F(MessageEndsTest, TheCompletionOfAReceiveFromAnySourceNamesTheSource) {
  const auto any = static_cast<std::uint8_t>(MpiWildcards::any_source);
  call(0, posted(5, MpiCallRecord::none, any));
  const Ends sent = send(2, 0);
  expect_pair(sent, call(0, wait_for(5, 2)));
}

// A request from any source that was posted before might have taken the message.
TEST_F(MessageEndsTest, AfterAnOpenReceiveFromAnySourceNothingIsCertain) {
  const auto any = static_cast<std::uint8_t>(MpiWildcards::any_source);
  call(0, posted(5, MpiCallRecord::none, any));
  const Ends sent = send(1, 0);
  call(0, posted(6, 1));
  expect_pair(sent, call(0, wait_for(6, 1)), false);
}

TEST_F(MessageEndsTest, OneCallCompletesSeveralInTheOrderInWhichTheyWerePosted) {
  const auto any = static_cast<std::uint8_t>(MpiWildcards::any_source);
  call(0, posted(5, MpiCallRecord::none, any));
  call(0, posted(6, MpiCallRecord::none, any));
  const Ends first = send(1, 0), second = send(1, 0);
  MpiCallRecord all = wait_for(6, 1);
  all.call = test::function("MPI_Waitall");
  all.requests = 2;
  const Ends completed = call(0, all, 1s, {posted(5, 1)});
  ASSERT_THAT(completed, SizeIs(2));
  EXPECT_EQ(completed[0].message, first[0].message);
  EXPECT_EQ(completed[1].message, second[0].message);
  EXPECT_TRUE(completed[0].certain && completed[1].certain);
}

TEST_F(MessageEndsTest, AnExchangeSendsOneMessageAndReceivesAnother) {
  const Ends sent = send(2, 1, 9);
  MpiCallRecord received = JobView::message("MPI_Sendrecv", MpiClass::receive, 2, 9);
  const Ends both = call(1, JobView::message("MPI_Sendrecv", MpiClass::send, 0, 9), 1s, {received});
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_FALSE(both[0].receives);
  EXPECT_EQ(both[1].message, sent[0].message);
}

TEST_F(MessageEndsTest, FailedCallsAndNoProcessAndUnknownPartnersHaveNoMessage) {
  MpiCallRecord failed = JobView::message("MPI_Send", MpiClass::send, 1);
  failed.error = 3;
  EXPECT_THAT(call(0, failed), IsEmpty());
  MpiCallRecord to_nobody = JobView::message("MPI_Send", MpiClass::send, 1);
  to_nobody.wildcards = static_cast<std::uint8_t>(MpiWildcards::null_process);
  EXPECT_THAT(call(0, to_nobody), IsEmpty());
  EXPECT_EQ(ends_.unnumbered(), 0u);
  MpiCallRecord elsewhere = JobView::message("MPI_Send", MpiClass::send, 1);
  elsewhere.communicator = 99;
  EXPECT_THAT(call(0, elsewhere), IsEmpty());
  EXPECT_EQ(ends_.unnumbered(), 1u);
}

// Two messages of the sender were lost from the records, but received.
TEST_F(MessageEndsTest, AfterALossOfTheSenderCountingContinuesAndIsNotCertain) {
  expect_pair(send(0, 1), receive(1, 0, 7, 1s));
  receive(1, 0, 7, 2s);
  receive(1, 0, 7, 3s);
  ends_.lose(0, std::chrono::nanoseconds(4s).count());
  const Ends waited = receive(1, 0, 7, 5s);  // began before the loss and ended after it
  expect_pair(send(0, 1), waited, false);
}

TEST_F(MessageEndsTest, AfterALossOfTheReceiverCountingContinuesAndIsNotCertain) {
  send(0, 1);
  send(0, 1);
  ends_.lose(1, std::chrono::nanoseconds(4s).count());
  expect_pair(send(0, 1), receive(1, 0, 7, 5s), false);
}

TEST_F(MessageEndsTest, ATupleHasOneNumberAtBothEnds) {
  EXPECT_EQ(MessageNumbers::tuple_end(4, 9, false).message, MessageNumbers::tuple_end(4, 9, true).message);
  EXPECT_NE(MessageNumbers::tuple_end(4, 9, false).message, MessageNumbers::tuple_end(4, 10, false).message);
  EXPECT_NE(MessageNumbers::tuple_end(4, 9, false).message, MessageNumbers::tuple_end(5, 9, false).message);
}

}  // namespace
}  // namespace eventspace::exports
