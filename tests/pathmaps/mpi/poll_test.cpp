#include "pathmaps/mpi/poll.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "collectors/mpi/mpi_requests.h"
#include "collectors/mpi/mpi_text.h"
#include "pathmaps/mpi/real_mpi.h"
#include "tests/tuplespace/trace/trace_ring.h"

// Polls as the wrappers of MPI make them, in a process without MPI.
namespace eventspace::mpi {

const RealMpi& real_mpi() noexcept {
  static const RealMpi none{};
  return none;
}

namespace {

using testing::ElementsAre;

class PollTest : public testing::Test {
 protected:
  /// A call of MPI_Test on a request, like a wrapper's.
  void poll(MPI_Request request, bool finds) {
    const std::array<MPI_Request, 1> tested{request};
    Poll poll;
    poll.tests(tested);
    poll.prepare(recorder_, test_);
    poll.begin(recorder_, test_);
    if (finds) poll.found();
    if (poll.is_only_counted(recorder_, test_)) return;
    recorder_.end(test_);
    poll.end(recorder_, test_);
  }
  /// The class and the number of calls of each new record.
  std::vector<std::string> recorded() {
    std::vector<TraceTuple> records;
    position_ = ring_.reader().read_after(position_, 64, records).last;
    std::vector<std::string> all;
    for (const TraceTuple& record : records) {
      const MpiCallRecord call = mpi_call_of(record);
      all.push_back(std::string(to_string(call.of)) + " " + std::to_string(call.calls));
    }
    return all;
  }

  test::RingMemory ring_{64};
  CollectSwitch switch_;
  RecordedThread thread_{&switch_};
  MpiRecorder recorder_{ring_.writer(), {3, 4, no_peer, 0}, thread_, Clock::instance()};
  MpiCallRecord test_{.call = 5, .of = MpiClass::complete, .site = 1};
  std::uint64_t position_{0};
};

TEST_F(PollTest, PollsAfterTheFirstAreCountedUntilOneFindsSomething) {
  for (int i = 0; i < 4; ++i) poll(MPI_REQUEST_NULL, false);
  EXPECT_THAT(recorded(), ElementsAre("complete 1"));
  poll(MPI_REQUEST_NULL, true);
  EXPECT_THAT(recorded(), ElementsAre("look 3", "complete 1"));
  poll(MPI_REQUEST_NULL, true);
  EXPECT_THAT(recorded(), ElementsAre("complete 1")) << "a new series has begun";
}

TEST_F(PollTest, ItsRequestsAreSought) {
  const auto request = static_cast<MPI_Request>(7);
  poll(request, false);
  poll(request, false);
  ASSERT_TRUE(recorder_.is_again(test_));
  EXPECT_THAT(recorder_.sought().requests(), ElementsAre(7u));
}

TEST_F(PollTest, AnotherCallIsNoPoll) {
  const Poll poll;
  EXPECT_FALSE(poll.is_one());
  EXPECT_FALSE(poll.is_only_counted(recorder_, test_));
  poll.end(recorder_, test_);
  EXPECT_FALSE(recorder_.is_again(test_)) << "nothing is remembered";
}

}  // namespace
}  // namespace eventspace::mpi
