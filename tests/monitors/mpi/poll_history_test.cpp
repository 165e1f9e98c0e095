#include "monitors/mpi/poll_history.h"

#include <gmock/gmock.h>

#include "scopes/tree/view_events.h"
#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::JobView;
using What = AwaitedPart::What;

/// Rank 0 polls without success.
class PollHistoryTest : public testing::Test {
 protected:
  /// Adds a record of unsuccessful polls that begins at `start`, in a series since `began`.
  void look(const char* name, nanoseconds began, nanoseconds start,
            const std::vector<MpiCallRecord>& sought = {}, std::uint8_t polling = 0) {
    MpiCallRecord record = JobView::call(name, MpiClass::look);
    record.communicator = MpiCallRecord::no_communicator;
    record.calls = 1000;
    record.polling = polling;
    record.since_ms = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(start - began).count());
    JobView job(4);
    if (!sought.empty()) job.awaits(0, sought, start);
    job.add(0, record, start, start + 1ms);
    add(job, start, start + 1ms);
  }
  void call(const MpiCallRecord& record, nanoseconds start) {
    JobView job(4);
    job.add(0, record, start, start + 1ms);
    add(job, start, start + 1ms);
  }
  void add(const JobView& job, nanoseconds start, nanoseconds end) {
    for_each_event(job.view.records.whole(), [&](std::span<const TraceTuple> event) {
      polls.add(0, thread, event, start, end, limits);
    });
  }
  static MpiCallRecord receive(std::uint32_t from) {
    return JobView::message("MPI_Irecv", MpiClass::receive, from);
  }

  static constexpr std::uint32_t thread = 5;
  JobView names_of{4};
  JobCommunicators communicators{names_of.names};
  CallReader reader{communicators};
  CallLimits limits{100ms};
  PollHistory polls{reader};
};

TEST_F(PollHistoryTest, ASeriesAwaitsWhatItsLastRecordSays) {
  look("MPI_Test", 1s, 1s);
  EXPECT_EQ(polls.find(thread, 1s), nullptr) << "for what it looks is not known yet";
  look("MPI_Test", 1s, 1500ms, {receive(2)});
  look("MPI_Test", 1s, 1600ms);
  const JobCall* const poll = polls.find(thread, 1s);
  ASSERT_NE(poll, nullptr);
  EXPECT_TRUE(poll->is_poll);
  ASSERT_EQ(poll->awaits.size(), 1u);
  EXPECT_EQ(poll->awaits[0].what, What::receive);
  EXPECT_EQ(poll->awaits[0].partner, 2u);
  EXPECT_EQ(poll->communicator, JobView::world);
  EXPECT_EQ(polls.find(thread, 1200ms), nullptr) << "another series";
  EXPECT_EQ(polls.find(thread + 1, 1s), nullptr);
}

TEST_F(PollHistoryTest, AnyOfSeveralIsEnoughExceptForATestall) {
  const auto only = static_cast<std::uint8_t>(MpiPolling::one_place);
  look("MPI_Test", 1s, 1500ms, {receive(2), receive(3)}, only);
  EXPECT_TRUE(polls.find(thread, 1s)->needs_any);
  look("MPI_Testall", 1s, 1600ms, {receive(2), receive(3)}, only);
  EXPECT_FALSE(polls.find(thread, 1s)->needs_any);
  look("MPI_Testall", 1s, 1700ms, {receive(2), receive(3)});
  EXPECT_TRUE(polls.find(thread, 1s)->needs_any) << "it looks at another place, too";
}

TEST_F(PollHistoryTest, AnotherCallEndsTheSeriesAndItsLengthIsLearned) {
  look("MPI_Test", 1s, 1500ms, {receive(2)});
  MpiCallRecord in_vain = JobView::call("MPI_Test", MpiClass::complete);
  call(in_vain, 1700ms);
  EXPECT_NE(polls.find(thread, 1s), nullptr) << "at another place, in vain, too";
  MpiCallRecord found = in_vain;
  found.take_request(receive(2));
  found.request_of = MpiClass::receive;
  call(found, 1800ms);
  EXPECT_EQ(polls.find(thread, 1s), nullptr);
  EXPECT_EQ(limits.limit(JobView::world), 1600ms) << "twice 800 ms";
}

TEST_F(PollHistoryTest, ANewSeriesEndsTheOneBefore) {
  look("MPI_Test", 1s, 1500ms, {receive(2)});
  look("MPI_Test", 2s, 2100ms, {receive(3)});
  EXPECT_EQ(polls.find(thread, 1s), nullptr);
  EXPECT_EQ(polls.find(thread, 2s)->awaits[0].partner, 3u);
  EXPECT_EQ(limits.limit(JobView::world), 1002ms);
}

TEST_F(PollHistoryTest, UnknownPartnersAreNotAwaited) {
  MpiCallRecord elsewhere = receive(2);
  elsewhere.communicator = 99;
  look("MPI_Test", 1s, 1500ms, {receive(2), elsewhere});
  EXPECT_TRUE(polls.find(thread, 1s)->awaits.empty()) << "it may be what is found";
}

}  // namespace
}  // namespace eventspace
