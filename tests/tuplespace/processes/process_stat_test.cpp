#include "tuplespace/processes/process_stat.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <eventspace/error.h>
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/shared/shared_memory.h"
#include "tests/tuplespace/system/few_descriptors.h"
#include "tests/tuplespace/tied_process.h"

namespace eventspace {
namespace {

TEST(ProcessStatTest, KnowsThisProcessAndItsThreads) {
  const auto self = read_process_stat(::getpid());
  ASSERT_TRUE(self);
  EXPECT_GT(self->start_ticks, 0u);
  EXPECT_EQ(MainThread(::getpid()).stat()->start_ticks, self->start_ticks);
  EXPECT_TRUE(is_alive(::getpid(), self->start_ticks));
  EXPECT_FALSE(is_alive(::getpid(), self->start_ticks + 1));  // a reused id
  ASSERT_TRUE(read_process_stat(::getpid(), ::gettid()));
  EXPECT_EQ(read_process_stat(::getpid(), ::gettid())->state, 'R');
}

TEST(ProcessStatTest, KnowsNothingOfWhatIsNotThere) {
  EXPECT_FALSE(read_process_stat(0x7fffffff));
  EXPECT_FALSE(read_process_stat(::getpid(), 0x7fffffff));
  EXPECT_FALSE(MainThread(0x7fffffff).stat());
  EXPECT_FALSE(is_alive(0x7fffffff, 1));
}

TEST(ProcessStatTest, WhatCannotBeReadIsNotGone) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  const std::uint64_t started = own_start_ticks();
  const test::FewDescriptors none;
  ASSERT_TRUE(read_process_stat(::getpid()));
  EXPECT_FALSE(read_process_stat(::getpid())->is_known());
  EXPECT_FALSE(MainThread(::getpid()).found());
  ASSERT_TRUE(MainThread(::getpid()).stat());
  EXPECT_FALSE(MainThread(::getpid()).stat()->is_known());
  EXPECT_TRUE(is_alive(::getpid(), started));
  EXPECT_THROW((void)own_start_ticks(), EnvironmentError);
}

TEST(ProcessStatTest, ANameWithBlanksAndBracketsDoesNotMisleadIt) {
  std::thread([] {
    ::pthread_setname_np(::pthread_self(), ") R 1 (x");
    EXPECT_EQ(read_process_stat(::getpid(), ::gettid())->start_ticks > 0, true);
    EXPECT_EQ(read_process_stat(::getpid(), ::gettid())->state, 'R');
  }).join();
}

TEST(ProcessStatTest, TellsStoppedFromRunningFromEnded) {
  const pid_t child = test::fork_tied();
  if (child == 0) {
    while (true) ::pause();
  }
  const MainThread process(child);
  ASSERT_TRUE(process.found());
  const std::uint64_t started = read_process_stat(child)->start_ticks;
  EXPECT_EQ(process.stat()->start_ticks, started);
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_EQ(read_process_stat(child)->state, 'T');
  EXPECT_EQ(process.stat()->state, 'T');
  EXPECT_TRUE(is_alive(child, started));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);  // a zombie now
  EXPECT_EQ(process.stat()->state, 'Z');
  EXPECT_FALSE(is_alive(child, started));
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(process.stat());
}

// The main thread of such a process is a zombie, but the process itself is not.
TEST(ProcessStatTest, AProcessWhoseMainThreadHasEndedIsAlive) {
  const test::Child child([] {
    std::thread([] {
      while (true) ::pause();
    }).detach();
    ::syscall(SYS_exit,
              0);  // like the end of pthread_exit, which would run destructors of the parent first
  });
  const MainThread main(child.pid());
  ASSERT_TRUE(test::comes_true([&] { return main.stat()->state == 'Z'; }));
  const auto process = read_process_stat(child.pid());
  ASSERT_TRUE(process);
  EXPECT_EQ(process->state, 'Z');
  EXPECT_GE(process->threads, 2u);  // a sanitizer adds some
  EXPECT_TRUE(main.stat()->is_alive_since(process->start_ticks));
  EXPECT_TRUE(is_alive(child.pid(), process->start_ticks));
  EXPECT_FALSE(is_alive(child.pid(), process->start_ticks + 1));
  child.signal(SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(main.stat()->is_alive_since(process->start_ticks));
  EXPECT_FALSE(is_alive(child.pid(), process->start_ticks));
}

}  // namespace
}  // namespace eventspace
