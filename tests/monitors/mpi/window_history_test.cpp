#include "monitors/mpi/window_history.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/monitors/mpi/job_story.h"

// Tests the waits of ranks in one-sided communication, with made-up calls.
namespace eventspace {
namespace {

using test::Job;
using testing::ElementsAre;
using testing::IsEmpty;
using Sort = WindowCall::Sort;

constexpr std::uint32_t window = Job::rows;

class Epochs : public testing::Test {
 protected:
  // Adds a call of `rank` of this sort at `at`.
  void did(std::uint32_t rank, Sort sort, std::vector<std::uint32_t> group, std::int64_t at) {
    history.add(rank, {.sort = sort, .window = window, .group = RankSet::of(group)}, at, at + 1);
  }
  void locked(std::uint32_t rank, std::uint32_t target, bool is_exclusive, Sort sort = Sort::lock) {
    history.add(rank, {.sort = sort, .window = window, .target = target, .is_exclusive = is_exclusive}, 1, 2);
  }
  // The ranks for which `rank` waits in `function`, which has `partners`.
  std::vector<std::uint32_t> waits_for(std::uint32_t rank, const std::string& function,
                                       const std::vector<std::uint32_t>& partners, bool is_exclusive = true) {
    call(rank, function, partners, is_exclusive);
    history.complete(job.look);
    std::vector<std::uint32_t> awaited;
    for (const AwaitedPart& part : job.look.ranks[rank].threads[0].in_flight->awaits)
      awaited.push_back(part.partner.value());
    return awaited;
  }
  void call(std::uint32_t rank, const std::string& function, const std::vector<std::uint32_t>& partners,
            bool is_exclusive = true) {
    JobCall call;
    call.function = test::function(function);
    call.of = MpiClass::window;
    call.communicator = window;
    call.is_exclusive = is_exclusive;
    for (const std::uint32_t partner : partners)
      call.awaits.push_back({.what = AwaitedPart::What::window, .communicator = window, .partner = partner});
    job.look.ranks[rank].threads[0].in_flight = call;
  }

  Job job{4};
  WindowHistory history;
};

TEST_F(Epochs, AStartWaitsForRanksThatHaveNotPosted) {
  did(1, Sort::post, {0}, 10);
  EXPECT_THAT(waits_for(0, "MPI_Win_start", {1, 2}), ElementsAre(2));
}

TEST_F(Epochs, APostOfTheEpochBeforeDoesNotCount) {
  did(1, Sort::post, {0}, 10);
  did(0, Sort::start, {1}, 11);
  did(0, Sort::complete, {}, 20);
  EXPECT_THAT(waits_for(0, "MPI_Win_complete", {1}), ElementsAre(1));
  did(1, Sort::post, {0}, 30);
  EXPECT_THAT(waits_for(0, "MPI_Win_complete", {1}), IsEmpty());
}

TEST_F(Epochs, APostForOthersDoesNotCount) {
  did(1, Sort::post, {2}, 10);
  EXPECT_THAT(waits_for(0, "MPI_Win_start", {1}), ElementsAre(1));
}

TEST_F(Epochs, AWaitIsForRanksThatHaveNotCompletedSinceThePost) {
  did(0, Sort::post, {1, 2}, 10);
  did(1, Sort::start, {0}, 11);
  did(1, Sort::complete, {}, 12);
  EXPECT_THAT(waits_for(0, "MPI_Win_wait", {1, 2}), ElementsAre(2));
  did(0, Sort::post, {1, 2}, 30);
  EXPECT_THAT(waits_for(0, "MPI_Win_wait", {1, 2}), ElementsAre(1, 2));
}

TEST_F(Epochs, ALockWaitsForTheRankThatHasTheWindow) {
  locked(1, 0, true);
  EXPECT_THAT(waits_for(2, "MPI_Win_lock", {0}), ElementsAre(1));
  EXPECT_THAT(waits_for(2, "MPI_Win_lock", {3}), ElementsAre(3)) << "another window is not locked";
  locked(1, 0, true, Sort::unlock);
  EXPECT_THAT(waits_for(2, "MPI_Win_lock", {0}), ElementsAre(0)) << "the target must take part";
}

TEST_F(Epochs, SharedLocksWaitOnlyForExclusiveOnes) {
  locked(1, 0, false);
  EXPECT_THAT(waits_for(2, "MPI_Win_lock", {0}, false), ElementsAre(0));
  EXPECT_THAT(waits_for(2, "MPI_Win_lock", {0}, true), ElementsAre(1));
}

// MPI_Win_lock may have returned although the lock was not given yet.
TEST_F(Epochs, ARankThatIsInACallForTheSameLockIsNotWaitedFor) {
  locked(1, 0, true);
  locked(2, 0, true);
  locked(3, 0, true);
  call(3, "MPI_Win_unlock", {0});
  EXPECT_THAT(waits_for(2, "MPI_Win_flush", {0}), ElementsAre(1));
}

}  // namespace
}  // namespace eventspace
