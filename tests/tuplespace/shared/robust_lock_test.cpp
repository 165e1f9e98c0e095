#include "tuplespace/shared/robust_lock.h"

#include <gtest/gtest.h>
#include <linux/futex.h>

#include <random>
#include <thread>
#include <vector>

#include "tests/tuplespace/child.h"
#include "tests/tuplespace/shared/shared_memory.h"
#include "tests/tuplespace/system/few_descriptors.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using Outcome = RobustLock::Outcome;

const Deadline patience = Deadline::after(60s);

/// A lock, and two numbers that are equal whenever no thread holds it.
struct Guarded {
  RobustLock lock{};
  std::atomic<bool> held{false};
  volatile std::uint64_t one{0};
  volatile std::uint64_t other{0};
};

class RobustLockTest : public testing::Test {
 protected:
  /// Returns a child that waits for the lock and then holds it for good.
  test::Child waiting_holder() {
    return test::Child([this] {
      (void)shared->lock.lock(patience);
      shared->held = true;
      while (true) ::pause();
    });
  }
  test::Child holder() {
    test::Child child = waiting_holder();
    EXPECT_TRUE(test::comes_true([this] { return shared->held.load(); }));
    return child;
  }
  std::atomic<std::uint32_t>& word() { return reinterpret_cast<std::atomic<std::uint32_t>&>(shared->lock); }
  /// Returns whether the holder will wake a thread when it unlocks.
  bool has_waiters() { return (word() & FUTEX_WAITERS) != 0; }
  void count_up(int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(shared->lock.lock(patience), Outcome::locked);
      shared->one = shared->one + 1;
      shared->other = shared->other + 1;
      shared->lock.unlock();
    }
  }

  test::SharedMemory<Guarded> shared;
};

TEST_F(RobustLockTest, IsFreeAtFirstAndAfterEachUnlock) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::locked);
    shared->lock.unlock();
  }
}

TEST_F(RobustLockTest, ExcludesThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { count_up(20000); });
  threads.clear();
  EXPECT_EQ(shared->one, 80000u);
  EXPECT_EQ(shared->other, 80000u);
}

TEST_F(RobustLockTest, ExcludesProcesses) {
  std::vector<test::Child> children;
  for (int i = 0; i < 4; ++i) children.emplace_back([this] { count_up(20000); });
  for (test::Child& child : children) EXPECT_TRUE(child.ends_well());
  EXPECT_EQ(shared->one, 80000u);
}

TEST_F(RobustLockTest, AWaitForALivingHolderTimesOut) {
  const test::Child child = holder();
  EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::timed_out);
  EXPECT_EQ(shared->lock.lock(Deadline::after(30ms)), Outcome::timed_out);
  EXPECT_EQ(shared->lock.lock(Deadline::after(2 * RobustLock::suspicion)), Outcome::timed_out);
}

TEST_F(RobustLockTest, AThreadThatCannotFindOutWhetherTheHolderLivesDoesNotTakeTheLock) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  const test::Child child = holder();
  const test::FewDescriptors none;
  EXPECT_EQ(shared->lock.lock(Deadline::after(2 * RobustLock::suspicion)), Outcome::timed_out);
}

TEST_F(RobustLockTest, TheNextHolderLearnsThatTheLastOneDiedAndLaterOnesDoNot) {
  holder().kill();
  EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::orphaned);
  shared->lock.unlock();
  EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::locked);
  shared->lock.unlock();
}

TEST_F(RobustLockTest, TheDeathOfTheHolderWakesAWaitingThread) {
  test::Child child = holder();
  std::jthread waiting([this] { EXPECT_EQ(shared->lock.lock(patience), Outcome::orphaned); });
  child.kill();
}

TEST_F(RobustLockTest, AHolderThatHadToWaitLeavesItOrphanedWhenItDies) {
  ASSERT_EQ(shared->lock.lock(patience), Outcome::locked);
  test::Child child = waiting_holder();
  ASSERT_TRUE(test::comes_true([this] { return has_waiters(); }));
  shared->lock.unlock();
  ASSERT_TRUE(test::comes_true([this] { return shared->held.load(); }));
  child.kill();
  EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::orphaned);
}

// Each unlock wakes one thread. The woken thread does not know of the others, so it has to wake the next.
TEST_F(RobustLockTest, AThreadThatHasSleptUnlocksAsIfOthersSleptToo) {
  ASSERT_EQ(shared->lock.lock(patience), Outcome::locked);
  const test::Child child = waiting_holder();
  ASSERT_TRUE(test::comes_true([this] { return has_waiters(); }));
  shared->lock.unlock();
  ASSERT_TRUE(test::comes_true([this] { return shared->held.load(); }));
  EXPECT_TRUE(has_waiters());
}

TEST_F(RobustLockTest, AThreadThatEndsWithItLeavesItOrphaned) {
  std::thread([this] { EXPECT_EQ(shared->lock.lock(patience), Outcome::locked); }).join();
  EXPECT_EQ(shared->lock.lock(patience), Outcome::orphaned);
}

TEST_F(RobustLockTest, AForkedChildIsAnotherHolder) {
  ASSERT_EQ(shared->lock.lock(patience), Outcome::locked);
  shared->lock.unlock();
  test::Child child = holder();
  EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::timed_out);
  child.kill();
  EXPECT_EQ(shared->lock.lock(patience), Outcome::orphaned);
}

/// The values that the word of a lock may have after another process wrote to it, or if the kernel does not
/// mark it.
class OddWordTest : public RobustLockTest {
 protected:
  void given_word(std::uint32_t value) { word() = value; }
};

TEST_F(OddWordTest, AHolderThatDoesNotExistIsFoundOut) {
  given_word(0x3ffffffe);
  EXPECT_EQ(shared->lock.lock(patience), Outcome::orphaned);
}

TEST_F(OddWordTest, AZombieIsFoundOutAsAHolderThatIsGone) {
  test::Child child([] {});
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &ended, WEXITED | WNOWAIT), 0);
  given_word(static_cast<std::uint32_t>(child.pid()));
  EXPECT_EQ(shared->lock.lock(patience), Outcome::orphaned);
}

// The kernel would mark a word with the thread's id when the thread ends, if the word were still registered.
TEST_F(OddWordTest, AThreadThatGaveUpHasNoMoreToDoWithTheWord) {
  const test::Child child = holder();
  std::uint32_t id = 0;
  std::thread([&] {
    EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::timed_out);
    id = static_cast<std::uint32_t>(::gettid());
    given_word(id);
  }).join();
  EXPECT_EQ(word().load(), id);
}

TEST_F(OddWordTest, AnEarlierThreadWithOurIdDoesNotLockUsOut) {
  given_word(static_cast<std::uint32_t>(::gettid()) | FUTEX_WAITERS);
  EXPECT_EQ(shared->lock.lock(Deadline::now()), Outcome::orphaned);
}

// Like when the lock was unlocked, and another thread locked it before the woken thread.
TEST_F(OddWordTest, AThreadThatGivesUpLeavesTheMarkThatOthersSleep) {
  auto& word = reinterpret_cast<std::atomic<std::uint32_t>&>(shared->lock);
  const auto holder = static_cast<std::uint32_t>(::gettid());
  given_word(holder);
  std::jthread waiting([this] { EXPECT_EQ(shared->lock.lock(Deadline::after(50ms)), Outcome::timed_out); });
  ASSERT_TRUE(test::comes_true([&] { return (word & FUTEX_WAITERS) != 0; }));
  given_word(holder);
  waiting.join();
  EXPECT_EQ(word.load(), holder | FUTEX_WAITERS);
}

TEST_F(OddWordTest, NoWordMakesItHangOrCrash) {
  std::mt19937 random(4714);
  for (int i = 0; i < 20; ++i) {
    given_word(static_cast<std::uint32_t>(random()));
    if (shared->lock.lock(Deadline::after(1ms)) != Outcome::timed_out) shared->lock.unlock();
  }
}

TEST_F(RobustLockTest, KilledAtAnyInstantHoldersAndWaitersLockNobodyOut) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<test::Child> children;
    for (int i = 0; i < 3; ++i) {
      children.emplace_back([this] {
        while (true) {
          if (shared->lock.lock(patience) == Outcome::orphaned) shared->one = shared->other;
          shared->one = shared->one + 1;
          shared->other = shared->other + 1;
          shared->lock.unlock();
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 1500));  // a random instant for the kill
    for (test::Child& child : children) child.kill();
    const Outcome outcome = shared->lock.lock(patience);
    ASSERT_NE(outcome, Outcome::timed_out);
    if (outcome == Outcome::locked) {
      ASSERT_EQ(shared->one, shared->other);
    }
    shared->one = shared->other;
    shared->lock.unlock();
  }
}

}  // namespace
}  // namespace eventspace
