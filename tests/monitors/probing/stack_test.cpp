#include "monitors/probing/stacks/thread_stack.h"

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <tuple>

#include <eventspace/error.h>
#include "monitors/probing/tracing/traced_thread.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/target.h"

// Stacks of threads of other processes, read while they run.

namespace eventspace {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_probing::eventually;
using testing_probing::state_of;
using testing_probing::Target;
using testing_probing::text_of;

std::vector<std::string> functions_in(const ThreadStack& stack) {
  std::vector<std::string> names;
  for (const StackFrame& frame : stack.frames) names.push_back(frame.function);
  return names;
}

// On a busy machine a thread may not run, and so not stop, for long.
constexpr CopyLimits patient{.patience = std::chrono::seconds(30)};

std::string refusal_of(std::int32_t pid, std::int32_t tid) {
  return test::error_text<EnvironmentError>([&] { (void)copy_thread(pid, tid, patient); });
}

#ifdef EVENTSPACE_HAS_DW

TEST(Stack, HasTheFunctionsFromTheInnermostToMain) {
  const Target target({STACK_APP, "spin", "2"});
  ThreadStack stack;
  const auto has_come = [&] {
    stack = stack_of_thread(target.pid(), target.pid(), patient);
    return stack.frames.size() > 5 && stack.frames[0].function.find("innermost") != std::string::npos;
  };
  ASSERT_TRUE(eventually(has_come)) << testing::PrintToString(functions_in(stack));
  for (int i = 1; i <= 3; ++i) EXPECT_THAT(stack.frames[i].function, HasSubstr("middle(int)"));
  EXPECT_THAT(stack.frames[4].function, HasSubstr("outer(int)"));
  EXPECT_EQ(stack.frames[5].function, "main");
  EXPECT_THAT(stack.frames[5].module, HasSubstr("stack_app"));
  EXPECT_TRUE(stack.is_whole);
  EXPECT_GT(stack.stopped.count(), 0);
}

TEST(Stack, OfAThreadThatIsNotTheFirst) {
  const Target target({STACK_APP, "thread", "0"});
  const auto folder = "/proc/" + std::to_string(target.pid()) + "/task";
  const auto is_found = [&] {
    for (const auto& task : std::filesystem::directory_iterator(folder)) {
      const int tid = std::stoi(task.path().filename());
      if (tid == target.pid()) continue;
      const auto names = functions_in(stack_of_thread(target.pid(), tid, patient));
      if (!names.empty() && names[0].find("innermost") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(eventually(is_found));
}

TEST(Stack, ThatIsDeeperThanTheCopyEndsWhereTheCopyEnds) {
  const Target target({STACK_APP, "spin", "20000"});
  ThreadStack stack;
  const auto is_deep = [&] {
    stack = stack_of_thread(target.pid(), target.pid(), patient);
    return stack.frames.size() == 256;
  };
  ASSERT_TRUE(eventually(is_deep)) << testing::PrintToString(functions_in(stack));
  const ThreadStack cut =
      stack_of_thread(target.pid(), target.pid(), {.stack_bytes = 1024, .patience = patient.patience});
  EXPECT_LT(cut.frames.size(), 100U);
  EXPECT_FALSE(cut.is_whole);
  EXPECT_THAT(functions_in(cut), Not(Contains("main")));
}

TEST(Stack, IsCopiedFromTheRedZoneButNeverFromOutsideItsMapping) {
  using Range = std::tuple<std::uint64_t, std::uint64_t, bool>;
  std::vector<MappedRange> ranges(1);
  ranges[0].begin = 0x10000;
  ranges[0].end = 0x14000;
  const auto range = [&](std::uint64_t pointer, std::uint64_t most) {
    const StackRange found = stack_range(ranges, pointer, most);
    return Range(found.begin, found.bytes, found.is_cut);
  };
  EXPECT_EQ(range(0x12000, 1 << 20), Range(0x11f80, 0x2080, false));
  EXPECT_EQ(range(0x12000, 0x1000), Range(0x11f80, 0x1000, true));
  EXPECT_EQ(range(0x10038, 1 << 20), Range(0x10000, 0x4000, false)) << "below is nothing";
  EXPECT_EQ(range(0x9ff8, 1 << 20), Range(0x9f78, 0x88, false)) << "the stack has grown";
  EXPECT_EQ(range(0xffff'ffff'ffff'fff8, 16), Range(0xffff'ffff'ffff'ff78, 16, true));
  EXPECT_EQ(range(0, 16), Range(0, 16, true));
}

TEST(Stack, InTheVdsoIsNamedToo) {
  const StackFrame frame{0x10, "", "", "[vdso]"};
  EXPECT_EQ(describe_frame(frame), "0x10 in [vdso]");
  EXPECT_EQ(describe_frame({0x10, "f\x1b", "", ""}), "f\\u001b in memory without a file");
  EXPECT_EQ(describe_frame({0x10, "f", "a.c:1", "/x/y"}), "f (a.c:1)");
}

#endif

/// A blocking call: its number and the word for stack_app. Its time-out is a second.
class BlockedCall : public testing::TestWithParam<std::pair<const char*, long>> {};

TEST_P(BlockedCall, ContinuesAfterItsThreadWasCopied) {
  Target target({STACK_APP, GetParam().first});
  const auto file = "/proc/" + std::to_string(target.pid()) + "/syscall";
  const auto is_in_call = [&] { return text_of(file).starts_with(std::to_string(GetParam().second) + " "); };
  if (text_of("/proc/self/syscall").empty()) GTEST_SKIP() << "this kernel does not tell calls";
  ASSERT_TRUE(eventually(is_in_call)) << text_of(file);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(refusal_of(target.pid(), target.pid()), "");
  const ExitState state = target.process().wait();
  EXPECT_EQ(state.status, 0) << "1: it was interrupted";
  EXPECT_EQ(state.signal, 0);
}

INSTANTIATE_TEST_SUITE_P(Calls, BlockedCall,
                         testing::Values(std::pair{"epoll", long{SYS_epoll_wait}},
                                         std::pair{"receive", long{SYS_recvfrom}},
                                         std::pair{"semaphore", long{SYS_semtimedop}},
                                         std::pair{"signal", long{SYS_rt_sigtimedwait}},
                                         std::pair{"sleep", long{SYS_clock_nanosleep}}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(InterruptedCall, IsSetUpAgainUnlessASignalEndsIt) {
  ::user_regs_struct registers{};
  registers.orig_rax = SYS_epoll_wait;
  registers.rax = static_cast<unsigned long long>(-EINTR);
  const std::string none =
      "State:\tt\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\nSigBlk:\t0000000000000000\n";
  const std::string blocked = "SigPnd:\t0000000000000200\nShdPnd:\t0\nSigBlk:\t0000000000000200\n";
  EXPECT_TRUE(is_interrupted_by_stop(registers, none));
  EXPECT_TRUE(is_interrupted_by_stop(registers, blocked));
  EXPECT_FALSE(is_interrupted_by_stop(registers, "SigPnd:\t0000000000000200\nShdPnd:\t0\nSigBlk:\t0\n"));
  EXPECT_FALSE(is_interrupted_by_stop(registers, "SigPnd:\t0\nShdPnd:\t0000000000000001\nSigBlk:\t0\n"));
  registers.rax = 0;
  EXPECT_FALSE(is_interrupted_by_stop(registers, none));
  registers.rax = static_cast<unsigned long long>(-EINTR);
  registers.orig_rax = UINT64_MAX;  // it is not in a system call
  EXPECT_FALSE(is_interrupted_by_stop(registers, none));
}

TEST(CopiedThread, IsNoLongerTraced) {
  const Target target({STACK_APP, "spin"});
  EXPECT_EQ(refusal_of(target.pid(), target.pid()), "");
  EXPECT_THAT(text_of("/proc/" + std::to_string(target.pid()) + "/status"), HasSubstr("TracerPid:\t0\n"));
}

TEST(CopiedThread, OfAStoppedProcessStaysStopped) {
  Target target({STACK_APP, "sleep"});
  target.process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(refusal_of(target.pid(), target.pid()), "");
    EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  }
  target.process().signal(SIGCONT);
  EXPECT_TRUE(target.process().wait().is_fine());
}

TEST(CopiedThread, IsRefusedWithTheReason) {
  const Target target({STACK_APP, "spin"});
  EXPECT_EQ(refusal_of(4194304, 4194304), "process 4194304 does not exist");
  EXPECT_THAT(refusal_of(target.pid(), 4194304), HasSubstr("it has ended"));
  const TracedThread other(target.pid(), target.pid());
  EXPECT_THAT(refusal_of(target.pid(), target.pid()),
              AllOf(StartsWith("thread "), HasSubstr("cannot be inspected: process "),
                    HasSubstr(std::to_string(::getpid()) + " already traces it")));
}

TEST(CopiedThread, ThatHasEndedIsRefused) {
  const Target target({STACK_APP, "no such call"});
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'Z'; }));
  EXPECT_THAT(refusal_of(target.pid(), target.pid()), HasSubstr("ended"));
}

}  // namespace
}  // namespace eventspace
