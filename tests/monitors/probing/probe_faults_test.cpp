#include <gmock/gmock.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include <eventspace/error.h>
#include "monitors/probing/work/let_planning.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/fault_program.h"
#include "tests/monitors/probing/refusal.h"
#include "tests/monitors/probing/stepped_tool.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/temporary_directory.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Events in processes while they have probes, or are to get some.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_probing::eventually;
using testing_probing::is_in_main;
using testing_probing::refusal_of;
using testing_probing::state_of;
using testing_probing::SteppedTool;
using testing_probing::Target;
using testing_probing::text_of;
using testing_probing::timed_task;

ProbePlan plan_of(std::int32_t pid, const std::string& function) {
  ProbePlan plan;
  // A program that was just started may not have its code yet.
  (void)eventually([&] {
    plan = plan_probes(pid, function, "", true);
    return !plan.functions.empty();
  });
  return plan;
}

bool has_memory_of_probes(std::int32_t pid) {
  return !areas_in(ProcessMemory(pid), mapped_ranges(pid)).empty();
}

TEST(ProbeFaults, ALibraryThatIsClosedTakesItsProbesWithIt) {
  const fs::path out = fs::temp_directory_path() / ("eventspace-fault-" + std::to_string(::getpid()));
  Target target({FAULT_APP, "library", FAULT_LIBRARY}, out);
  ProbedProcess probed(target.pid(), plan_of(target.pid(), "fault_part"), timed_task());
  EXPECT_THAT(probed.refusals(), IsEmpty());
  ASSERT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).measured.calls > 10; }));
  target.process().signal(SIGUSR2);
  ASSERT_TRUE(eventually([&] { return text_of(out).find("closed") != std::string::npos; }));
  const Removal removal = probed.remove();
  EXPECT_EQ(removal.removed, 0U);
  EXPECT_TRUE(removal.is_whole);
  EXPECT_FALSE(has_memory_of_probes(target.pid()));
  target.process().signal(SIGTERM);
  EXPECT_TRUE(target.process().wait().is_fine());
  fs::remove(out);
}

// The module may contain a function of the variable, such as a second one of the same name.
TEST(ProbeFaults, AVariableIsRefusedIfAModuleCannotBeRead) {
  const test::TemporaryDirectory directory;
  const fs::path library = directory.path() / "fault_library.so";
  fs::copy_file(FAULT_LIBRARY, library);
  Target target({FAULT_APP, "library", library}, "/dev/null");
  ASSERT_EQ(plan_of(target.pid(), "fault_part").functions.size(), 1U) << "it is loaded";
  std::fstream(library, std::ios::in | std::ios::out | std::ios::binary).write("none", 4);
  ProbeTask task;
  task.lets = {"a += 1 at =fault_work"};
  const CompiledTask compiled = compile_task(task);
  ModuleCache cache;
  ProbePlan plan = plan_probes(target.pid(), "fault_work", "fault_app");
  ASSERT_EQ(plan.functions.size(), 1U);
  EXPECT_THAT(test::error_text<EnvironmentError>([&] { plan_lets(target.pid(), compiled, "", cache, plan); }),
              AllOf(HasSubstr("cannot have --set 'a += 1 at =fault_work'"), HasSubstr("cannot be read"),
                    HasSubstr("--module")));
  EXPECT_NO_THROW(plan_lets(target.pid(), compiled, "fault_app", cache, plan));
}

TEST(ProbeFaults, AProcessThatBecomesAnotherProgramHasNoMoreProbes) {
  Target target({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  ProbedProcess probed(target.pid(), plan_of(target.pid(), "fault_work"), timed_task());
  ASSERT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).calls > 10; }));
  target.process().signal(SIGUSR2);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; })) << "hot_app stops itself at first";
  EXPECT_FALSE(probed.look());
  EXPECT_GT(probed.functions().at(0).calls, 10U) << "what was counted is kept";
  EXPECT_EQ(probed.remove().removed, 0U);
}

/// fault_app with a child that was forked while it had a probe.
class ForkedProgram : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(eventually([&] { return is_in_main(target_.pid()); }));
    probed_.emplace(target_.pid(), plan_of(target_.pid(), "fault_work"));
    ASSERT_EQ(probed_->functions().size(), 1U);
    target_.process().signal(SIGUSR2);
    ASSERT_TRUE(eventually([&] { return text_of(out_).ends_with('\n'); }));
    child_ = std::stoi(text_of(out_));
    ASSERT_TRUE(has_jump(child_)) << "it has the same probe";
  }
  void TearDown() override {
    probed_.reset();
    target_.process().signal(SIGTERM);
    EXPECT_TRUE(target_.process().wait().is_fine());
    fs::remove(out_);
  }
  [[nodiscard]] bool has_jump(std::int32_t pid) const {
    std::byte first{};
    ProcessMemory(pid).read(probed_->functions().at(0).placed.place, {&first, 1});
    return first == std::byte{0xe9};
  }
  [[nodiscard]] bool counts() {
    (void)probed_->look();
    const std::uint64_t calls = probed_->functions().at(0).calls;
    return eventually([&] { return probed_->look() && probed_->functions().at(0).calls > calls + 10; });
  }

  fs::path out_ = fs::temp_directory_path() / ("eventspace-forked-" + std::to_string(::getpid()));
  Target target_{{FAULT_APP, "fork", "two"}, out_};
  std::optional<ProbedProcess> probed_;
  std::int32_t child_{0};
};

// The process that the order is for is visited first. The other one shares the journal, which already marks
// the probe as removed.
TEST_F(ForkedProgram, LosesASingleProbeInBothProcessesWhicheverIsVisitedFirst) {
  const ProbeSwitch order{ProbeState::removed, {probed_->functions().at(0).placed.place}};
  const SwitchedProbes switched = switch_probes(child_, order);
  EXPECT_EQ(switched.processes, 2U);
  EXPECT_EQ(switched.probes, 1U);
  EXPECT_FALSE(has_jump(target_.pid()));
  EXPECT_FALSE(has_jump(child_));
  EXPECT_EQ(switch_probes(target_.pid(), {ProbeState::on, order.places}).processes, 0U)
      << "it is removed for good";
}

// Both processes are chosen, as by the name of the program. The parent, which comes first by its id, marks
// the probe as removed in the journal that it shares with its child.
TEST_F(ForkedProgram, LosesASingleProbeInBothProcessesIfBothAreAskedFor) {
  const ProbeSwitch order{ProbeState::removed, {probed_->functions().at(0).placed.place}};
  const auto switched = switch_probes({{target_.pid(), order}, {child_, order}});
  ASSERT_EQ(switched.size(), 2U);
  for (const auto& [done, refusal] : switched) {
    EXPECT_EQ(refusal, "");
    EXPECT_EQ(done.processes, 1U) << "each counts for itself";
    EXPECT_EQ(done.probes, 1U);
    EXPECT_EQ(done.changed, 1U);
  }
  EXPECT_FALSE(has_jump(target_.pid()));
  EXPECT_FALSE(has_jump(child_));
  for (const auto& [done, refusal] : switch_probes({{target_.pid(), order}, {child_, order}}))
    EXPECT_EQ(done.processes, 0U) << "a later order finds none";
}

TEST_F(ForkedProgram, HasAChildThatForksWhileItsProbesAreRemoved) {
  const std::string before = text_of(out_);
  SteppedTool tool([&] { (void)remove_probes(target_.pid()); });
  std::string step = tool.next();
  while (!step.empty() && !(step == "seize" && tool.thread() == child_)) step = tool.next();
  ASSERT_EQ(step, "seize") << "the search has found the child";
  ::kill(child_, SIGUSR2);
  ASSERT_TRUE(
      eventually([&] { return text_of(out_).size() > before.size() && text_of(out_).ends_with('\n'); }));
  const std::int32_t grandchild = std::stoi(text_of(out_).substr(before.size()));
  ASSERT_TRUE(has_jump(grandchild)) << "it has the same probe, and the search had not seen it";
  while (!tool.next().empty()) {
  }
  tool.wait_for_tool();
  for (const std::int32_t pid : {target_.pid(), child_, grandchild}) {
    EXPECT_FALSE(has_jump(pid));
    EXPECT_FALSE(has_memory_of_probes(pid));
  }
}

TEST_F(ForkedProgram, LosesItsProbesTogetherWithOtherProcesses) {
  Target traced({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  Target other({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return is_in_main(traced.pid()) && is_in_main(other.pid()); }));
  ProbedProcess in_traced(traced.pid(), plan_of(traced.pid(), "fault_work"));
  ProbedProcess in_other(other.pid(), plan_of(other.pid(), "fault_work"));
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, traced.pid(), nullptr, nullptr), 0);  // as a debugger
  Target none({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  const auto removed = remove_probes({traced.pid(), target_.pid(), none.pid(), other.pid(), 4194304});
  ASSERT_EQ(removed.size(), 5U);
  EXPECT_THAT(removed[0].refusal, HasSubstr("already traces it"));
  EXPECT_EQ(removed[0].done.processes, 0U);
  EXPECT_EQ(removed[1].refusal, "");
  EXPECT_EQ(removed[1].done.processes, 2U) << "with its child";
  EXPECT_EQ(removed[1].done.removed, 2U);
  EXPECT_EQ(removed[2].refusal + removed[3].refusal + removed[4].refusal, "");
  EXPECT_EQ(removed[2].done.processes, 0U);
  EXPECT_EQ(removed[3].done.removed, 1U);
  EXPECT_EQ(removed[4].done.processes, 0U) << "there is no such process";
  for (const std::int32_t pid : {target_.pid(), child_, other.pid()}) EXPECT_FALSE(has_memory_of_probes(pid));
  EXPECT_TRUE(has_memory_of_probes(traced.pid()));
}

// Both processes are chosen: each counts for itself.
TEST_F(ForkedProgram, IsCountedByItselfIfItsChildIsAskedForToo) {
  const auto removed = remove_own_probes({child_, target_.pid()});
  ASSERT_EQ(removed.size(), 2U);
  for (const auto& [done, refusal] : removed) {
    EXPECT_EQ(done.processes, 1U);
    EXPECT_EQ(done.removed, 1U);
    EXPECT_EQ(refusal, "");
  }
}

TEST_F(ForkedProgram, HasAChildThatKeepsItsProbesIfTheyCannotBeRemoved) {
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, child_, nullptr, nullptr), 0);  // as a debugger
  const Removal removal = probed_->remove();
  EXPECT_EQ(removal.processes, 1U);
  EXPECT_FALSE(has_memory_of_probes(target_.pid()));
  EXPECT_TRUE(has_jump(child_));
  EXPECT_TRUE(has_memory_of_probes(child_));
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, child_, nullptr, nullptr), 0);
  ASSERT_EQ(::waitpid(child_, nullptr, __WALL), child_);
  ASSERT_EQ(::ptrace(PTRACE_DETACH, child_, nullptr, nullptr), 0);
  EXPECT_EQ(remove_probes(child_).removed, 1U) << "the next tool finds them";
  EXPECT_FALSE(has_jump(child_));
  EXPECT_FALSE(has_memory_of_probes(child_));
}

TEST_F(ForkedProgram, CountsInBothProcesses) {
  EXPECT_TRUE(counts());
  ::kill(target_.pid(), SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(target_.pid()) == 'T'; }));
  EXPECT_TRUE(counts()) << "the child does";
  ::kill(target_.pid(), SIGCONT);
}

TEST(ProbeFaults, AProcessThatDiesWhileItGetsProbesIsReported) {
  for (int round = 0; round < 8; ++round) {
    auto target = std::make_unique<Target>(std::vector<std::string>{HOT_APP}, "/dev/null");
    const ProbePlan plan = plan_of(target->pid(), "hot_*");
    const std::int32_t pid = target->pid();
    std::thread killer([&target, round] {
      ::usleep(static_cast<unsigned>(round) * 1500);
      ::kill(target->pid(), SIGKILL);
    });
    std::string refusal;
    try {
      ProbedProcess probed(pid, plan, timed_task());
      (void)probed.remove();
    } catch (const EnvironmentError& error) {
      refusal = error.what();
    }
    killer.join();
    EXPECT_THAT(refusal, AnyOf(IsEmpty(), HasSubstr(std::to_string(pid)))) << "it names the process";
  }
}

TEST(ProbeFaults, AZombieIsRefused) {
  Target target({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  const ProbePlan plan = plan_of(target.pid(), "fault_work");
  ::kill(target.pid(), SIGKILL);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'Z'; }));
  EXPECT_THAT(refusal_of(target.pid(), plan), HasSubstr("ended"));
}

TEST(ProbeFaults, AProcessThatIsTracedAlreadyIsRefused) {
  Target target({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  const ProbePlan plan = plan_of(target.pid(), "fault_work");
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, target.pid(), nullptr, nullptr), 0);
  EXPECT_THAT(refusal_of(target.pid(), plan), HasSubstr("already traces it"));
  EXPECT_FALSE(has_memory_of_probes(target.pid()));
}

/// A process under a debugger, so that its probes cannot be removed.
class DebuggedProgram : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(eventually([&] { return is_in_main(target_.pid()); }));
  }
  void attach_debugger() const { ASSERT_EQ(::ptrace(PTRACE_SEIZE, target_.pid(), nullptr, nullptr), 0); }
  void detach_debugger() const {
    ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, target_.pid(), nullptr, nullptr), 0);
    ASSERT_EQ(::waitpid(target_.pid(), nullptr, __WALL), target_.pid());
    ASSERT_EQ(::ptrace(PTRACE_DETACH, target_.pid(), nullptr, nullptr), 0);
  }

  Target target_{{FAULT_APP, "exec", HOT_APP}, "/dev/null"};
};

TEST_F(DebuggedProgram, LosesItsProbesWhenTheyAreRemovedAgain) {
  ProbedProcess probed(target_.pid(), plan_of(target_.pid(), "fault_work"));
  ASSERT_NO_FATAL_FAILURE(attach_debugger());
  EXPECT_THROW((void)probed.remove(), EnvironmentError);
  EXPECT_TRUE(probed.has_probes());
  EXPECT_TRUE(probed.look()) << "they go on counting";
  ASSERT_NO_FATAL_FAILURE(detach_debugger());
  EXPECT_EQ(probed.remove().removed, 1U);
  EXPECT_FALSE(probed.has_probes());
  EXPECT_FALSE(has_memory_of_probes(target_.pid()));
}

// There is an object for each order: a refusal applies to both of them.
TEST_F(DebuggedProgram, LosesItsProbesWithTheObjectsAtTheLatest) {
  {
    ProbedProcess first(target_.pid(), plan_of(target_.pid(), "fault_work"));
    ProbedProcess second(target_.pid(), plan_probes(target_.pid(), "fault_jump", ""));
    ASSERT_EQ(first.functions().size() + second.functions().size(), 2U);
    ASSERT_NO_FATAL_FAILURE(attach_debugger());
    for (const auto& [done, refusal] : ProbedProcess::remove_all({&first, &second}))
      EXPECT_THAT(refusal, HasSubstr("already traces it"));
    EXPECT_TRUE(first.has_probes());
    EXPECT_TRUE(second.has_probes());
    ASSERT_NO_FATAL_FAILURE(detach_debugger());
  }
  EXPECT_FALSE(has_memory_of_probes(target_.pid()));
}

TEST_F(DebuggedProgram, HasNothingThatWasAskedForIfOnlyAVariableHasItsProbe) {
  const ProbedProcess probed(target_.pid(), plan_of(target_.pid(), "fault_work"));
  EXPECT_TRUE(probed.has_asked_for());
  ProbeTask task;
  task.lets = {"a += 1 at =fault_jump"};
  const CompiledTask compiled = compile_task(task);
  ProbePlan plan = plan_probes(target_.pid(), "fault_work", "");
  ModuleCache cache;
  plan_lets(target_.pid(), compiled, "", cache, plan);
  const ProbedProcess second(target_.pid(), plan, compiled);
  ASSERT_EQ(second.functions().size(), 1U) << "fault_work has a probe already";
  EXPECT_TRUE(second.functions()[0].placed.has_lets_only);
  EXPECT_FALSE(second.has_asked_for());
}

TEST(ProbeFaults, AStoppedProcessStaysStoppedWithItsProbes) {
  Target target({FAULT_APP, "exec", HOT_APP}, "/dev/null");
  const ProbePlan plan = plan_of(target.pid(), "fault_work");
  ASSERT_TRUE(eventually([&] { return is_in_main(target.pid()); }));
  target.process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  ProbedProcess probed(target.pid(), plan, timed_task());
  EXPECT_THAT(probed.refusals(), IsEmpty());
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  ASSERT_TRUE(probed.look());
  EXPECT_EQ(probed.functions().at(0).calls, 0U);
  target.process().signal(SIGCONT);
  EXPECT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).measured.calls > 10; }));
  EXPECT_TRUE(probed.remove().is_whole);
}

}  // namespace
}  // namespace eventspace

#endif
