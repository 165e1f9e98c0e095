#include "monitors/heartbeat/pvm_waits.h"

#include <gmock/gmock.h>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "tests/collectors/pvm/pvm_call_named.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t first_task = 0x40001;

// Tasks of one session, in the order of their numbers.
class PvmWaits : public testing::Test {
 protected:
  static std::uint32_t task(std::size_t place) { return first_task + static_cast<std::uint32_t>(place); }

  // The next task is stuck in this call.
  PvmCallRecord& in(std::string_view name) {
    verdicts_.push_back(Verdict::stuck);
    return calls_.emplace_back(test::pvm_call_named(name));
  }
  void receive_from(std::size_t place) { in("pvm_recv").partner = task(place); }
  void receive_from_any() { in("pvm_recv").add(PvmMarks::any_source); }
  void in_barrier(std::uint32_t tasks, std::uint32_t group = 77) {
    PvmCallRecord& call = in("pvm_barrier");
    call.tasks = tasks;
    call.group = group;
  }
  // The next task is not in a call.
  void outside(Verdict verdict) {
    in("pvm_send");
    verdicts_.back() = verdict;
  }

  // The waits found, as (waiting, awaited, whether any is enough).
  std::vector<std::tuple<std::vector<std::size_t>, std::vector<std::size_t>, bool>> found() {
    std::vector<ThreadHealth> threads;
    for (std::size_t place = 0; place < calls_.size(); ++place) {
      ThreadHealth health;
      health.thread = static_cast<std::uint32_t>(100 + place);
      health.verdict = verdicts_[place];
      const bool is_stuck = health.verdict == Verdict::stuck;
      calls_[place].task = task(place);
      (is_stuck ? health.in_flight : health.last) = record_of(calls_[place], is_stuck);
      threads.push_back(health);
    }
    std::vector<std::tuple<std::vector<std::size_t>, std::vector<std::size_t>, bool>> all;
    for (const PvmWait& wait : find_pvm_waits(threads))
      all.emplace_back(wait.waiting, wait.awaited, wait.needs_any);
    return all;
  }

 private:
  static EventRecord record_of(const PvmCallRecord& call, bool in_flight) {
    return decode({{1, 5, 0, call.word3(0), in_flight ? 0U : 6U, call.word5(), call.word6(), call.word7()}});
  }
  std::vector<PvmCallRecord> calls_;
  std::vector<Verdict> verdicts_;
};

using Waits = std::vector<std::size_t>;

TEST_F(PvmWaits, AReceiveWaitsForTheTaskThatItNames) {
  receive_from(1);
  outside(Verdict::computing);
  EXPECT_THAT(found(), ElementsAre(std::tuple(Waits{0}, Waits{1}, false)));
}

TEST_F(PvmWaits, ATaskThatIsNotSeenIsNotWaitedFor) {
  receive_from(7);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(PvmWaits, AReceiveFromAnyTaskWaitsForAnyOtherTask) {
  receive_from_any();
  outside(Verdict::computing);
  outside(Verdict::dead);
  receive_from(0);
  EXPECT_THAT(found(),
              ElementsAre(std::tuple(Waits{3}, Waits{0}, false), std::tuple(Waits{0}, Waits{1, 3}, true)));
}

TEST_F(PvmWaits, AReceiveFromAnyTaskDoesNotWaitWhileAnotherTaskRuns) {
  receive_from_any();
  outside(Verdict::running);
  outside(Verdict::computing);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(PvmWaits, AReceiveFromAnyTaskWaitsForEachTaskIfAllAreGone) {
  receive_from_any();
  outside(Verdict::dead);
  outside(Verdict::ended);
  EXPECT_THAT(found(), ElementsAre(std::tuple(Waits{0}, Waits{1, 2}, false)));
}

TEST_F(PvmWaits, TasksThatReceiveFromAnyTaskWaitForEachOther) {
  receive_from_any();
  receive_from_any();
  outside(Verdict::computing);
  outside(Verdict::ended);
  EXPECT_THAT(found(), ElementsAre(std::tuple(Waits{0, 1}, Waits{0, 1, 2}, true)));
}

TEST_F(PvmWaits, ABarrierWaitsForTheAbsentTasks) {
  in_barrier(3);
  in_barrier(3);
  outside(Verdict::computing);
  EXPECT_THAT(found(), ElementsAre(std::tuple(Waits{0, 1}, Waits{2}, false)));
}

TEST_F(PvmWaits, EachOfTwoBarriersWaitsForTheTasksOfTheOther) {
  in_barrier(2, 77);
  in_barrier(2, 78);
  outside(Verdict::computing);
  EXPECT_THAT(found(),
              ElementsAre(std::tuple(Waits{0}, Waits{1, 2}, true), std::tuple(Waits{1}, Waits{0, 2}, true)));
}

// The two wait for each other.
TEST_F(PvmWaits, ABarrierThatTheOthersCanCompleteDoesNotWaitForATaskThatIsGone) {
  in_barrier(2);
  receive_from(0);
  outside(Verdict::ended);
  EXPECT_THAT(found(),
              ElementsAre(std::tuple(Waits{1}, Waits{0}, false), std::tuple(Waits{0}, Waits{1}, false)));
}

TEST_F(PvmWaits, ABarrierThatAnyTaskCanCompleteDoesNotWaitWhileOneRuns) {
  in_barrier(2);
  outside(Verdict::computing);
  outside(Verdict::running);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(PvmWaits, ABarrierThatNeedsAllTasksWaitsForAllEvenIfOneRunsOrIsGone) {
  in_barrier(3);
  outside(Verdict::running);
  outside(Verdict::dead);
  EXPECT_THAT(found(), ElementsAre(std::tuple(Waits{0}, Waits{1, 2}, false)));
}

TEST_F(PvmWaits, ABarrierWithTooFewTasksLeftWaitsForTheGoneTasks) {
  in_barrier(3);
  outside(Verdict::running);
  outside(Verdict::dead);
  outside(Verdict::ended);
  EXPECT_THAT(found(), ElementsAre(std::tuple(Waits{0}, Waits{2, 3}, true)));
}

TEST_F(PvmWaits, ACompleteBarrierDoesNotWait) {
  in_barrier(2);
  in_barrier(2);
  outside(Verdict::ended);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(PvmWaits, SendsDoNotWait) {
  in("pvm_send").partner = task(1);
  outside(Verdict::computing);
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace eventspace
