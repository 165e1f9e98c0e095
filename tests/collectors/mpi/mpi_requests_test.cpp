#include "collectors/mpi/mpi_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "collectors/mpi/mpi_recorder.h"
#include "collectors/mpi/mpi_text.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using Calls = std::vector<MpiCallRecord>;

MpiCallRecord message(MpiClass of, std::uint32_t partner, std::uint32_t tag) {
  MpiCallRecord call;
  call.of = of;
  call.partner = partner;
  call.tag = tag;
  call.communicator = 77;
  return call;
}

MpiCallRecord waitall(const MpiCallRecord& first, std::uint32_t requests) {
  MpiCallRecord call = first;
  call.call = 31;
  call.of = MpiClass::complete;
  call.request_of = first.of;
  call.requests = requests;
  return call;
}

class MpiRequestsTest : public testing::Test {
 protected:
  /// All finished records, and the one in flight.
  std::vector<TraceTuple> records() {
    std::vector<TraceTuple> all;
    ring_.reader().read_after(0, 100, all);
    if (const auto begun = ring_.reader().in_flight()) all.push_back(*begun);
    return all;
  }

  test::RingMemory ring_{30};
  CollectSwitch switch_;
  RecordedThread thread_{&switch_};
  MpiRecorder recorder_{ring_.writer(), {3, 4, no_peer, 0}, thread_, Clock::instance()};
};

TEST_F(MpiRequestsTest, ACallInFlightSaysForWhichRequestsItWaits) {
  const Calls awaited{message(MpiClass::receive, 2, 7), message(MpiClass::send, 5, 8),
                      message(MpiClass::receive, MpiCallRecord::none, 9)};
  recorder_.begin(waitall(awaited[0], 3), 3, awaited);
  const auto all = records();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(header_of(all[2]).in_flight());
  EXPECT_TRUE(header_of(all[0]).is_of_beginning());
  EXPECT_GT(header_of(all[0]).part, header_of(all[1]).part);
  const MpiRequests found = mpi_requests_of(all);
  EXPECT_EQ(found.in_all, 3u);
  EXPECT_EQ(found.awaited, awaited);
  EXPECT_TRUE(found.completed.empty());
  EXPECT_EQ(describe_mpi_call(mpi_call_of(all[2]), "c"), "MPI_Waitall from 2 tag 7 on c, 3 requests");
}

TEST_F(MpiRequestsTest, AnEndedCallSaysWhatHasCome) {
  const Calls awaited{message(MpiClass::receive, 2, 7), message(MpiClass::receive, MpiCallRecord::none, 7)};
  recorder_.begin(waitall(awaited[0], 2), 2, awaited);
  MpiCallRecord second = message(MpiClass::receive, 9, 7);
  second.call = 14;
  second.bytes = 1000;
  second.request = 12;
  second.site = 3;
  recorder_.end(waitall(awaited[0], 2), Calls{second});
  const auto all = records();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(header_of(all[1]).end, header_of(all[2]).end);
  EXPECT_FALSE(header_of(all[2]).is_continuation());
  EXPECT_EQ(header_of(all[2]).start, header_of(all[0]).start);
  const MpiRequests found = mpi_requests_of(all);
  EXPECT_EQ(found.awaited, awaited);
  EXPECT_THAT(found.completed, ElementsAre(second, awaited[0]));
}

TEST_F(MpiRequestsTest, ACallWithOneRequestSaysItAlone) {
  const MpiCallRecord receive = message(MpiClass::receive, 2, 7);
  recorder_.begin(waitall(receive, 1));
  EXPECT_THAT(mpi_requests_of(records()).awaited, ElementsAre(receive));
  EXPECT_TRUE(mpi_requests_of(records()).completed.empty());
  recorder_.end(waitall(receive, 1));
  EXPECT_THAT(mpi_requests_of(records()).completed, ElementsAre(receive));
}

TEST_F(MpiRequestsTest, ATestThatHasCompletedNothingSaysSo) {
  MpiCallRecord test = waitall(message(MpiClass::receive, 2, 7), 1);
  recorder_.begin(test);
  test.request_of.reset();
  recorder_.end(test);
  EXPECT_TRUE(mpi_requests_of(records()).completed.empty());
}

TEST_F(MpiRequestsTest, ACollectiveOperationIsAwaitedByItsFunctionAndOrdinal) {
  MpiCallRecord barrier;
  barrier.call = 59;
  barrier.of = MpiClass::collective;
  barrier.communicator = 77;
  barrier.ordinal = 12;
  recorder_.begin(waitall(barrier, 1), 1, Calls{barrier});
  EXPECT_THAT(mpi_requests_of(records()).awaited, ElementsAre(barrier));
}

TEST_F(MpiRequestsTest, OfManyRequestsTheFirstAreListedAndAllCounted) {
  Calls many;
  for (std::uint32_t i = 0; i < 300; ++i) many.push_back(message(MpiClass::send, i, 1));
  recorder_.begin(waitall(many[0], 300), 300, many);
  const MpiRequests found = mpi_requests_of(records());
  EXPECT_EQ(found.in_all, 300u);
  EXPECT_EQ(found.awaited, Calls(many.begin(), many.begin() + mpi_parts::max_awaited));
  recorder_.end(waitall(many[0], 300), many);
  const auto all = records();
  EXPECT_EQ(all.size(), mpi_parts::max_awaited / 2 + mpi_parts::max_completed + 1);
  EXPECT_THAT(describe_mpi_call(mpi_call_of(all.back()), "c"), testing::HasSubstr("255 or more requests"));
}

TEST_F(MpiRequestsTest, OfRecordsThatMakeNoSenseNothingIsRead) {
  TraceTuple record;
  record.words[3] = record_words::kind(mpi_kind, 0, 12);
  record.words[5] = ~std::uint64_t{0};
  EXPECT_TRUE(mpi_requests_of(std::vector{record}).awaited.empty());
  record.words[3] = record_words::kind(200, 0, 12);
  EXPECT_TRUE(mpi_requests_of(std::vector{record}).awaited.empty());
  EXPECT_TRUE(mpi_requests_of({}).awaited.empty());
}

}  // namespace
}  // namespace eventspace
