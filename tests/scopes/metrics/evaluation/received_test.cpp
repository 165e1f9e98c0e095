// Received MPI messages, and the time of waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "collectors/mpi/mpi_requests.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::metrics {
namespace {

using test::Measured;
using test::ObservedRun;
using ::testing::ElementsAre;

class ReceivedTest : public testing::Test {
 protected:
  static MpiCallRecord record(MpiClass of, std::uint64_t bytes) {
    MpiCallRecord call;
    call.of = of;
    call.bytes = bytes;
    return call;
  }
  /// A call that has completed a receive of this many bytes.
  static MpiCallRecord completing(std::uint64_t bytes) {
    MpiCallRecord call = record(MpiClass::complete, bytes);
    call.request_of = MpiClass::receive;
    call.requests = 1;
    return call;
  }
  static std::string metric(const std::string& value) {
    return "M(Process p, TimeInterval t) { RETURN " + value + "; }";
  }

  ObservedRun run;
  Measured bytes{run, "M", metric("Receive_volume(p, t) / 1B")};
  Measured messages{run, "M", metric("Receive_count(p, t)")};
  void expect(const std::string& value, const std::string& count, double ms = 50) {
    const View view = run.view(ms);
    for (Measured* const each : {&bytes, &messages}) (*each)->take(view);
    const auto number = [ms](Measured& of) { return of->read(ObservedRun::ns(ms)).at(0).datum.number; };
    EXPECT_EQ(fmt::format("{}", number(bytes)), value);
    EXPECT_EQ(fmt::format("{}", number(messages)), count);
  }
};

TEST_F(ReceivedTest, ANonBlockingReceiveCountsWhenItIsCompletedWithTheBytesThatCame) {
  run.mpi(0, 2, 3, "MPI_Irecv", record(MpiClass::receive, 1 << 20));
  expect("0", "0", 4);
  run.mpi(0, 5, 6, "MPI_Wait", completing(100));
  expect("100", "1");
}

TEST_F(ReceivedTest, ABlockingReceiveCountsItself) {
  run.mpi(0, 2, 3, "MPI_Recv", record(MpiClass::receive, 40));
  run.mpi(0, 4, 5, "MPI_Mrecv", record(MpiClass::receive, 2));
  expect("42", "2");
}

TEST_F(ReceivedTest, ASendrecvCountsWhatItHasReceived) {
  run.mpi(0, 2, 3, "MPI_Sendrecv", record(MpiClass::send, 1000), {record(MpiClass::receive, 7)});
  run.mpi(0, 3, 4, "MPI_Send", record(MpiClass::send, 1000));
  expect("7", "1");
}

TEST_F(ReceivedTest, AWaitForManyCountsAllOfThem) {
  const MpiRequests::Rest rest{5, 50, 0};
  run.mpi(0, 2, 3, "MPI_Waitall", completing(1),
          {record(MpiClass::receive, 2), record(MpiClass::send, 500), record_of(rest)});
  expect("53", "7");
  EXPECT_EQ(bytes->lost(), 0U);
}

TEST_F(ReceivedTest, RequestsOfWhichNothingIsKnownMakeItIncomplete) {
  run.mpi(0, 2, 3, "MPI_Waitall", completing(1), {record_of({0, 0, 44})});
  expect("1", "1");
  EXPECT_EQ(bytes->lost(), 44U);
}

TEST_F(ReceivedTest, WhatFailsOrHasNoSourceOrIsASendDoesNotCount) {
  MpiCallRecord failed = record(MpiClass::receive, 9);
  failed.error = 15;
  run.mpi(0, 2, 3, "MPI_Recv", failed);
  MpiCallRecord nobody = record(MpiClass::receive, 0);
  nobody.wildcards = static_cast<std::uint8_t>(MpiWildcards::null_process);
  run.mpi(0, 3, 4, "MPI_Recv", nobody);
  MpiCallRecord sent = completing(800);
  sent.request_of = MpiClass::send;
  run.mpi(0, 4, 5, "MPI_Wait", sent);
  expect("0", "0");
}

TEST_F(ReceivedTest, CommunicationCountsEachMessageOnceAtEachEnd) {
  Measured moved(run, "M", metric("Communication_volume(p, t) / 1B"));
  run.mpi(0, 2, 3, "MPI_Isend", record(MpiClass::send, 10));
  MpiCallRecord sent = completing(10);
  sent.request_of = MpiClass::send;
  run.mpi(0, 3, 4, "MPI_Wait", sent);
  run.mpi(1, 2, 3, "MPI_Irecv", record(MpiClass::receive, 4096));
  run.mpi(1, 3, 4, "MPI_Wait", completing(10));
  EXPECT_THAT(moved.at(10), ElementsAre("p0=10", "p1=10"));
}

TEST_F(ReceivedTest, WaitingIsTheTimeInCallsThatCanWaitForOthers) {
  Measured waiting(run, "M", metric("Waiting_delay(p, t) / 1ms"));
  run.mpi(0, 2, 3, "MPI_Send", record(MpiClass::send, 10));
  run.mpi(0, 10, 12, "MPI_Recv", record(MpiClass::receive, 10));
  run.mpi(0, 20, 24, "MPI_Sendrecv", record(MpiClass::send, 10), {record(MpiClass::receive, 7)});
  run.mpi(0, 30, 38, "MPI_Waitall", completing(10));
  run.barrier(0, 40, 56);
  EXPECT_THAT(waiting.at(100), ElementsAre("p0=30"));
  Measured share(run, "Waiting_share");  // from 1 ms on
  run.mpi(0, 80, 90, "MPI_Probe", record(MpiClass::probe, 10));
  EXPECT_THAT(share.at(101), ElementsAre("p0=10"));
}

}  // namespace
}  // namespace eventspace::metrics
