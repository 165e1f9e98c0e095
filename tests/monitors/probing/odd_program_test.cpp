#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/tracing/traced_thread.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/monitors/probing/fault_program.h"
#include "tests/monitors/probing/process_traces.h"
#include "tests/monitors/probing/refusal.h"
#include "tests/monitors/probing/small_elf.h"
#include "tests/monitors/probing/stepped_tool.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/temporary_directory.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Programs in states in which they cannot have probes, or not everywhere: the reason is reported, the program
// is not changed, and continues.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_probing::eventually;
using testing_probing::is_in_main;
using testing_probing::refusal_of;
using testing_probing::SmallElf;
using testing_probing::state_of;
using testing_probing::SteppedTool;
using testing_probing::Target;
using testing_probing::text_of;
using testing_probing::traces_of;

class OddProgram : public testing::Test {
 protected:
  /// Runs odd_app until it has reached the state.
  void begin(const std::string& state, const std::string& written) {
    target_ = std::make_unique<Target>(std::vector<std::string>{ODD_APP, state}, out());
    ASSERT_TRUE(eventually([&] { return text_of(out()).ends_with(written); })) << text_of(out());
    before_ = traces_of(target_->pid());
    plan_ = plan_probes(target_->pid(), "odd_work", "odd_app", true);
    ASSERT_EQ(plan_.functions.size(), 1U);
  }
  void expect_unchanged_to_its_end() {
    EXPECT_EQ(traces_of(target_->pid()), before_);
    target_->process().signal(SIGTERM);
    EXPECT_TRUE(target_->process().wait().is_fine());
  }
  [[nodiscard]] fs::path out() const { return directory_.path() / "out"; }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Target> target_;
  ProbePlan plan_;
  std::vector<std::string> before_;
};

TEST_F(OddProgram, ThatFiltersItsSystemCallsIsRefused) {
  begin("seccomp", "ready\n");
  EXPECT_THAT(refusal_of(target_->pid(), plan_), HasSubstr("it filters its system calls (seccomp)"));
  expect_unchanged_to_its_end();
}

TEST_F(OddProgram, ThatHasNoRoomWithinReachIsRefused) {
  begin("full", "ready\n");
  EXPECT_THAT(refusal_of(target_->pid(), plan_), HasSubstr("no free memory within 2 GiB of its code"));
  expect_unchanged_to_its_end();
}

TEST_F(OddProgram, ThatTheKernelDoesNotInterruptIsRefused) {
  begin("vfork", "\n");
  ASSERT_TRUE(eventually([&] { return state_of(target_->pid()) == 'D'; }));
  EXPECT_THAT(refusal_of(target_->pid(), plan_), HasSubstr("it is in uninterruptible sleep (state D)"));
  EXPECT_EQ(traces_of(target_->pid()), before_);
  ::kill(std::stoi(text_of(out())), SIGKILL);  // its child
  ASSERT_TRUE(eventually([&] { return text_of(out()).ends_with("ready\n"); }));
  ProbedProcess probed(target_->pid(), plan_);
  EXPECT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).calls > 10; }))
      << "now it can have them";
  EXPECT_TRUE(probed.remove().is_whole);
  expect_unchanged_to_its_end();
}

/// A 32-bit program, which the kernel can run, and which sleeps.
std::string program_of_32_bits() {
  constexpr std::uint32_t base = 0x08048000;
  const std::string code("\xb8\x1d\0\0\0\xcd\x80\xeb\xf7", 9);  // mov $29 (pause),%eax; int $0x80; jmp back
  Elf32_Ehdr head{};
  std::memcpy(head.e_ident,
              "\x7f"
              "ELF\x01\x01\x01",
              7);
  head.e_type = ET_EXEC;
  head.e_machine = EM_386;
  head.e_version = 1;
  head.e_entry = base + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
  head.e_phoff = sizeof head;
  head.e_ehsize = sizeof head;
  head.e_phentsize = sizeof(Elf32_Phdr);
  head.e_phnum = 1;
  const auto bytes = static_cast<Elf32_Word>(sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr) + code.size());
  const Elf32_Phdr all{PT_LOAD, 0, base, base, bytes, bytes, PF_R | PF_X, 4096};
  return SmallElf::bytes_of(head) + SmallElf::bytes_of(all) + code;
}

TEST_F(OddProgram, Of32BitsIsRefused) {
  const fs::path program = directory_.path() / "small";
  std::ofstream(program, std::ios::binary) << program_of_32_bits();
  fs::permissions(program, fs::perms::owner_all);
  const auto starts = [&] {
    try {
      target_ = std::make_unique<Target>(std::vector<std::string>{program.string()}, out());
    } catch (const EnvironmentError&) {
      return false;
    }
    return eventually([&] {
      return fs::read_symlink("/proc/" + std::to_string(target_->pid()) + "/exe").filename() == "small" &&
             state_of(target_->pid()) == 'S';
    });
  };
  if (!starts()) GTEST_SKIP() << "this kernel runs no programs of 32 bits";
  const auto before = traces_of(target_->pid());
  EXPECT_THAT(refusal_of(target_->pid(), {}), HasSubstr("it is a 32-bit program; x86-64 is needed"));
  EXPECT_EQ(traces_of(target_->pid()), before);
  EXPECT_EQ(state_of(target_->pid()), 'S');
}

/// fault_app, which changes after its probes were planned, before or while they are put in.
class ChangingMeanwhile : public testing::Test {
 protected:
  void begin(const std::string& what, const std::string& file, const std::string& function) {
    target_ = std::make_unique<Target>(std::vector<std::string>{FAULT_APP, what, file}, out());
    ASSERT_TRUE(eventually([&] {
      return is_in_main(target_->pid()) &&
             !(plan_ = plan_probes(target_->pid(), function, "", true)).functions.empty();
    }));
  }
  [[nodiscard]] bool has_memory_of_probes() const {
    return !areas_in(ProcessMemory(target_->pid()), mapped_ranges(target_->pid())).empty();
  }
  [[nodiscard]] fs::path out() const { return directory_.path() / "out"; }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Target> target_;
  ProbePlan plan_;
};

TEST_F(ChangingMeanwhile, AProgramThatHasClosedTheLibraryIsRefused) {
  begin("library", FAULT_LIBRARY, "fault_part");
  target_->process().signal(SIGUSR2);
  ASSERT_TRUE(eventually([&] { return text_of(out()).find("closed") != std::string::npos; }));
  EXPECT_THAT(refusal_of(target_->pid(), plan_), HasSubstr("process " + std::to_string(target_->pid())));
  EXPECT_FALSE(has_memory_of_probes());
  target_->process().signal(SIGTERM);
  EXPECT_TRUE(target_->process().wait().is_fine());
}

// The tool has put its memory in, and is about to stop the threads to write the jumps.
TEST_F(ChangingMeanwhile, AProcessThatBecomesAnotherProgramIsRefusedAndThatProgramNotChanged) {
  begin("exec", HOT_APP, "fault_work");
  const fs::path refusal = directory_.path() / "refusal";
  SteppedTool tool([&] { std::ofstream(refusal) << refusal_of(target_->pid(), plan_) << '\n'; });
  std::string step = tool.next();
  for (int seized = 0; !step.empty(); step = tool.next())
    if (step == "seize" && ++seized == 2) break;
  ASSERT_EQ(step, "seize");
  ASSERT_TRUE(has_memory_of_probes());
  target_->process().signal(SIGUSR2);
  ASSERT_TRUE(eventually([&] { return state_of(target_->pid()) == 'T'; })) << "hot_app stops itself at first";
  const auto before = traces_of(target_->pid());
  while (!tool.next().empty()) {
  }
  tool.wait_for_tool();
  EXPECT_THAT(text_of(refusal), HasSubstr("process " + std::to_string(target_->pid())));
  EXPECT_EQ(traces_of(target_->pid()), before);
  EXPECT_EQ(state_of(target_->pid()), 'T');
}

/// fault_app with its own process ids and files, as in a container.
class ContainedProgram : public testing::Test {
 protected:
  void SetUp() override {
    // The program is a file that only it can see.
    const std::string begin =
        "mount -t tmpfs none /dev/shm && mount -t tmpfs none /mnt && cp \"$0\" /mnt/inside && exec "
        "/mnt/inside "
        "jump -";
    outer_ = std::make_unique<Target>(std::vector<std::string>{"unshare", "--mount", "--pid", "--fork",
                                                               "--kill-child", "sh", "-c", begin, FAULT_APP},
                                      out());
    const std::string children =
        "/proc/" + std::to_string(outer_->pid()) + "/task/" + std::to_string(outer_->pid()) + "/children";
    const bool is_there = eventually([&] {
      const std::string text = text_of(children);
      pid_ = text.empty() ? 0 : std::stoi(text);
      return (pid_ != 0 && is_in_main(pid_) && name() == "inside") || outer_->process().poll().has_value();
    });
    ASSERT_TRUE(is_there);
    if (outer_->process().poll()) GTEST_SKIP() << "this user may not make namespaces: " << text_of(out());
    before_ = traces_of(pid_);
    plan_ = plan_probes(pid_, "fault_work", "", true);
    ASSERT_EQ(plan_.functions.size(), 1U) << "of a file that is not to be seen here";
  }
  [[nodiscard]] std::string name() const {
    std::error_code ignored;
    return fs::read_symlink("/proc/" + std::to_string(pid_) + "/exe", ignored).filename();
  }
  [[nodiscard]] fs::path out() const { return directory_.path() / "out"; }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Target> outer_;
  std::int32_t pid_{0};
  ProbePlan plan_;
  std::vector<std::string> before_;
};

TEST_F(ContainedProgram, HasProbesLikeOthers) {
  ProbedProcess probed(pid_, plan_probes(pid_, "fault_jump", "inside"));
  EXPECT_THAT(probed.refusals(), IsEmpty());
  EXPECT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).calls > 10; }));
  EXPECT_EQ(probed.remove().removed, 1U);
  EXPECT_EQ(traces_of(pid_), before_);
}

TEST_F(ContainedProgram, CannotRecordInAFileThatItDoesNotSee) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  const AttachedSegment segment("contained-" + std::to_string(::getpid()), "inside:1");
  std::string refusal;
  try {
    const ProbedProcess probed(pid_, plan_, {}, segment.recorded());
  } catch (const EnvironmentError& error) {
    refusal = error.what();
  }
  EXPECT_THAT(refusal, HasSubstr("its system call open failed: No such file or directory"));
  EXPECT_EQ(traces_of(pid_), before_);
}

TEST(WhyNotTraced, SaysWhatForbidsIt) {
  constexpr ::uid_t root = 0, someone = 1000;
  const auto why = [](std::uint32_t uid, int tracer, ::uid_t asking, const std::string& yama) {
    return why_not_allowed(
        "Name:\tx\nTracerPid:\t" + std::to_string(tracer) + "\nUid:\t" + std::to_string(uid) + "\t0\t0\t0\n",
        asking, yama);
  };
  EXPECT_THAT(why(someone, 77, root, "1\n"), HasSubstr("process 77 already traces it: a debugger"));
  EXPECT_THAT(why(someone + 1, 0, someone, "1\n"),
              HasSubstr("it belongs to another user; run as its user or as root"));
  for (const char* const scope : {"1", "2", "3"})
    EXPECT_THAT(
        why(someone, 0, someone, std::string(scope) + "\n"),
        HasSubstr("kernel.yama.ptrace_scope is " + std::string(scope) + "); run as root, or set it to 0"));
  EXPECT_THAT(why(someone, 0, someone, "0\n"), HasSubstr("PR_SET_DUMPABLE"));
  EXPECT_THAT(why(someone, 0, someone, ""), HasSubstr("a container without CAP_SYS_PTRACE"))
      << "a kernel without Yama";
}

}  // namespace
}  // namespace eventspace

#endif
