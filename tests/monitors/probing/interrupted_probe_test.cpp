#include <gmock/gmock.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/monitors/probing/fault_program.h"
#include "tests/monitors/probing/process_traces.h"
#include "tests/monitors/probing/stepped_tool.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/temporary_directory.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Interruptions while a thread is in the code of a probe, and functions that are never left.

namespace eventspace {
namespace {

using testing::IsEmpty;
using testing_probing::eventually;
using testing_probing::is_in_main;
using testing_probing::state_of;
using testing_probing::SteppedTool;
using testing_probing::Target;
using testing_probing::text_of;
using testing_probing::timed_task;
using testing_probing::traces_of;

/// A process of one thread that is single-stepped as long as the object exists.
class SingleStepped {
 public:
  explicit SingleStepped(std::int32_t pid) : pid_(pid) {
    is_fine_ = ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 &&
               ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 && waits();
  }
  ~SingleStepped() { (void)::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr); }
  SingleStepped(const SingleStepped&) = delete;
  SingleStepped& operator=(const SingleStepped&) = delete;

  /// Executes one instruction. Returns the address of the next; 0: the process has ended.
  std::uint64_t step() {
    is_fine_ = is_fine_ && ::ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) == 0 && waits();
    ::user_regs_struct registers{};
    is_fine_ = is_fine_ && ::ptrace(PTRACE_GETREGS, pid_, nullptr, &registers) == 0;
    return is_fine_ ? registers.rip : 0;
  }
  /// Runs until the code has been entered `times` times, and executes `more` instructions in it. Returns
  /// false if it has left the code before that.
  bool step_into(const AddressRange& code, int times, int more) {
    std::uint64_t at = step();
    for (int i = 0; i < times; ++i) {
      while (at != 0 && code.contains(at)) at = step();
      while (at != 0 && !code.contains(at)) at = step();
    }
    for (int i = 0; i < more && code.contains(at); ++i) at = step();
    return code.contains(at);
  }

 private:
  bool waits() const {
    int status = 0;
    return ::waitpid(pid_, &status, __WALL) == pid_ && WIFSTOPPED(status);
  }
  std::int32_t pid_;
  bool is_fine_{false};
};

/// fault_app with probes that measure the function it calls.
class InterruptedProbe : public testing::Test {
 protected:
  void SetUp() override {
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  }
  void begin(const std::string& what, const std::string& word, const std::string& function) {
    target_.emplace(std::vector<std::string>{FAULT_APP, what, word}, out());
    ASSERT_TRUE(eventually([&] { return is_in_main(target_->pid()); }));
    before_ = traces_of(target_->pid());
    probed_.emplace(target_->pid(), plan_probes(target_->pid(), function, "fault_app", true), timed_task());
    ASSERT_THAT(probed_->refusals(), IsEmpty());
    ASSERT_EQ(probed_->functions().size(), 1U);
  }
  /// The code of the probes.
  [[nodiscard]] AddressRange code() const {
    for (const ProbeArea& area : areas_in(ProcessMemory(target_->pid()), mapped_ranges(target_->pid())))
      if (area.header) return {area.header->code, area.header->code + ProbeArea::code_bytes};
    return {};
  }
  void expect_right_end() {
    target_->process().signal(SIGTERM);
    EXPECT_EQ(target_->process().wait().status, 0) << "1: it found a wrong result";
  }
  [[nodiscard]] std::filesystem::path out() const { return directory_.path() / "out"; }

  test::TemporaryDirectory directory_;
  std::optional<Target> target_;
  std::optional<ProbedProcess> probed_;
  std::vector<std::string> before_;
};

// At each second instruction of a call's path through the code of the probe at its entry and at its exit. The
// handler makes a call through this code, too.
TEST_F(InterruptedProbe, ASignalMayComeAtEachInstructionAndItsHandlerPassesTheSameProbe) {
  begin("handler", "go", "fault_work");
  const auto calls_more_than = [&](std::uint64_t calls) {
    return eventually([&] { return probed_->look() && probed_->functions().at(0).calls > calls; });
  };
  ASSERT_TRUE(calls_more_than(10));
  // The exit of a call that was under way when the probes came has no entry.
  const std::uint64_t without_entry = probed_->functions().at(0).measured.no_entry;
  EXPECT_LE(without_entry, 1U);
  for (const int times : {1, 2}) {
    int signals = 0;
    for (bool is_in = true; is_in; signals += is_in ? 1 : 0) {
      SingleStepped process(target_->pid());
      is_in = process.step_into(code(), times, 2 * signals);
      if (is_in) ::kill(target_->pid(), SIGUSR1);
    }
    EXPECT_GT(signals, 10) << "so long is the way";
  }
  ASSERT_TRUE(probed_->look());
  EXPECT_TRUE(calls_more_than(probed_->functions().at(0).calls + 10));
  target_->process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(target_->pid()) == 'T'; }));
  ASSERT_TRUE(probed_->look());
  const auto& [module, function, placed, calls, measured] = probed_->functions().at(0);
  EXPECT_EQ(measured.no_room + measured.passed_by, 0U);
  EXPECT_EQ(measured.no_entry, without_entry);
  EXPECT_LE(measured.calls, calls);
  EXPECT_GE(measured.calls + 1, calls) << "one may be under way";
  target_->process().signal(SIGCONT);
  EXPECT_TRUE(probed_->remove().is_whole);
  EXPECT_EQ(traces_of(target_->pid()), before_);
  expect_right_end();
}

// The thread returns from the handler to the code of the probe, which must still be there.
TEST_F(InterruptedProbe, ItsMemoryStaysForAThreadThatComesBackToIt) {
  begin("handler", "wait", "fault_work");
  {
    SingleStepped process(target_->pid());
    ASSERT_TRUE(process.step_into(code(), 1, 5));
    ::kill(target_->pid(), SIGUSR1);
  }
  ASSERT_TRUE(eventually([&] { return text_of(out()) == "in\n"; })) << "it stays in its handler";
  const Removal removal = probed_->remove();
  EXPECT_EQ(removal.removed, 1U) << "the function has its own bytes again";
  EXPECT_FALSE(removal.is_whole);
  EXPECT_NE(code().begin, 0U);
  ::kill(target_->pid(), SIGUSR2);  // the handler ends
  EXPECT_TRUE(eventually([&] { return remove_probes(target_->pid()).is_whole && code().begin == 0; }));
  EXPECT_EQ(traces_of(target_->pid()), before_);
  expect_right_end();
}

// The signal stops the thread before the order to stop does. The thread is then made to execute a system
// call.
TEST_F(InterruptedProbe, ASignalThatComesWithTheOrderToStopIsNotLost) {
  target_.emplace(std::vector<std::string>{FAULT_APP, "handler", "wait"}, out());
  ASSERT_TRUE(eventually([&] { return is_in_main(target_->pid()); }));
  const ProbePlan plan = plan_probes(target_->pid(), "fault_work", "fault_app", true);
  SteppedTool tool([&] { const ProbedProcess probed(target_->pid(), plan, timed_task()); });
  std::string step = tool.next();
  while (!step.empty() && step != "interrupt") step = tool.next();
  ASSERT_EQ(step, "interrupt");
  ::kill(target_->pid(), SIGUSR1);
  ASSERT_TRUE(eventually([&] { return state_of(target_->pid()) == 't'; }));
  while (!tool.next().empty()) {
  }
  tool.wait_for_tool();
  EXPECT_TRUE(eventually([&] { return text_of(out()) == "in\n"; }));
  ::kill(target_->pid(), SIGUSR2);
  expect_right_end();
}

// The thread is not in a system call when it is stopped.
TEST_F(InterruptedProbe, AStoppedThreadThatComputesStaysStopped) {
  Target target({STACK_APP, "spin"});
  // It has reached its main(), where it computes.
  ASSERT_TRUE(eventually([&] {
    const auto stat = read_process_stat(target.pid());
    return stat && stat->cpu > std::chrono::milliseconds(50);
  }));
  target.process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  ProbedProcess probed(target.pid(), plan_probes(target.pid(), "main", "stack_app"));
  EXPECT_THAT(probed.refusals(), IsEmpty());
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  EXPECT_TRUE(probed.remove().is_whole);
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  target.process().signal(SIGCONT);
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'R'; }));
}

TEST_F(InterruptedProbe, CallsThatLongjmpLeavesAreCounted) {
  begin("jump", "-", "fault_jump");
  ASSERT_TRUE(eventually([&] { return probed_->look() && probed_->functions().at(0).calls > 100; }));
  target_->process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(target_->pid()) == 'T'; }));
  ASSERT_TRUE(probed_->look());
  const auto& [module, function, placed, calls, measured] = probed_->functions().at(0);
  EXPECT_GE(measured.calls, calls / 2 - 1) << "every second one returns";
  EXPECT_GE(measured.passed_by, calls / 2 - 1) << "and every second one does not";
  EXPECT_LE(measured.calls + measured.passed_by, calls);
  EXPECT_GE(measured.calls + measured.passed_by + 1, calls) << "the next call notices it";
  EXPECT_EQ(measured.no_entry + measured.no_room, 0U);
  target_->process().signal(SIGCONT);
  EXPECT_TRUE(probed_->remove().is_whole);
  EXPECT_EQ(traces_of(target_->pid()), before_);
  expect_right_end();
}

}  // namespace
}  // namespace eventspace

#endif
