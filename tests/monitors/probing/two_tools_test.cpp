#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/monitors/probing/fault_program.h"
#include "tests/monitors/probing/process_traces.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/temporary_directory.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Two tools, of one user or of two, that compete for the same process.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_probing::areas_of;
using testing_probing::eventually;
using testing_probing::is_in_main;
using testing_probing::Target;
using testing_probing::text_of;
using testing_probing::traces_of;

constexpr unsigned nobody = 65534;

std::vector<std::string> as_nobody(std::vector<std::string> command) {
  const std::string id = std::to_string(nobody);
  command.insert(command.begin(), {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"});
  return command;
}

/// fault_app, a directory, and tools that write their output there.
class TwoTools : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(begins(*target_));
    before_ = traces_of(target_->pid());
  }
  void TearDown() override {
    EXPECT_EQ(traces_of(target_->pid()), before_);
    target_->process().signal(SIGTERM);
    EXPECT_TRUE(target_->process().wait().is_fine());
  }
  static bool begins(const Target& target) {
    return eventually([&] { return !plan_of(target).functions.empty() && is_in_main(target.pid()); });
  }
  static ProbePlan plan_of(const Target& target) try {
    return plan_probes(target.pid(), "fault_work", "fault_app", true);
  } catch (const EnvironmentError&) {
    return {};
  }
  [[nodiscard]] std::string pid() const { return std::to_string(target_->pid()); }

  /// A tool of this user; its output is file(name).
  std::unique_ptr<Target> tool(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {"env", "EVENTSPACE_SHM_DIR=" + directory_.path().string(), EVENTSPACE_PROGRAM});
    return std::make_unique<Target>(words, file(name));
  }
  [[nodiscard]] fs::path file(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] bool says(const std::string& name, const std::string& text) const {
    return eventually([&] { return text_of(file(name)).find(text) != std::string::npos; });
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Target> target_ =
      std::make_unique<Target>(std::vector<std::string>{FAULT_APP, "jump", "-"}, "/dev/null");
  std::vector<std::string> before_;
};

// Either may be first.
TEST_F(TwoTools, WhenStartedTogetherOneHasTheProcessAndTheOtherNamesIt) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  std::vector<std::unique_ptr<Target>> tools;
  tools.push_back(tool("0", {"probe", "fault_work", "--pid", pid()}));
  tools.push_back(tool("1", {"attach", "--probe", "fault_work", "--pid", pid(), "--session", "two-tools"}));
  std::optional<std::size_t> refused;
  ASSERT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < tools.size(); ++i)
      if (const auto state = tools[i]->process().poll(); state && !refused) {
        EXPECT_EQ(state->status, 3) << text_of(file(std::to_string(i)));
        refused = i;
      }
    return refused.has_value();
  }));
  const std::size_t other = 1 - *refused;
  EXPECT_THAT(text_of(file(std::to_string(*refused))),
              HasSubstr("process " + pid() + " has probes of another eventspace that is running (process " +
                        std::to_string(tools[other]->pid()) + ")"));
  EXPECT_TRUE(says(std::to_string(other), "threads were stopped"));
  EXPECT_EQ(areas_of(target_->pid()).size(), 1U);
  tools[other]->process().signal(SIGINT);
  EXPECT_EQ(tools[other]->process().wait().status, 0) << text_of(file(std::to_string(other)));
}

TEST_F(TwoTools, ASecondToolFirstRemovesTheProbesOfAKilledOne) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  auto first = tool("first", {"attach", "--probe", "fault_work", "--pid", pid(), "--session", "two-tools"});
  ASSERT_TRUE(says("first", "watch it with"));
  first->process().signal(SIGKILL);
  EXPECT_EQ(first->process().wait().signal, SIGKILL);
  ASSERT_EQ(areas_of(target_->pid()).size(), 1U) << "its probes stay";
  auto second = tool("second", {"probe", "fault_jump", "--pid", pid()});
  ASSERT_TRUE(says("second", "threads were stopped"));
  const auto areas = areas_of(target_->pid());
  ASSERT_EQ(areas.size(), 1U) << "those of the first are gone";
  ASSERT_TRUE(areas[0].header);
  EXPECT_EQ(areas[0].header->owner_pid, second->pid());
  EXPECT_EQ(areas[0].header->segment_inode, 0U) << "it does not record";
  second->process().signal(SIGINT);
  EXPECT_EQ(second->process().wait().status, 0) << text_of(file("second"));
}

class TwoUsers : public TwoTools {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
    TwoTools::SetUp();
    // The directory for the user's locks and segments.
    fs::create_directory(directory_.path() / "nobody");
    ASSERT_EQ(::chown((directory_.path() / "nobody").c_str(), nobody, nobody), 0);
    fs::permissions(directory_.path(), fs::perms::others_exec, fs::perm_options::add);
    Target can_start(as_nobody({"test", "-x", EVENTSPACE_PROGRAM, "-a", "-x", FAULT_APP}));
    if (!can_start.process().wait().is_fine()) GTEST_SKIP() << "other users cannot start what was built";
  }
  void TearDown() override {
    if (target_ && !before_.empty()) TwoTools::TearDown();
  }
  std::string output_of_nobody(std::vector<std::string> words, int status) {
    const std::string own = (directory_.path() / "nobody").string();
    words.insert(words.begin(),
                 {"env", "XDG_RUNTIME_DIR=" + own, "EVENTSPACE_SHM_DIR=" + own, EVENTSPACE_PROGRAM});
    Target command(as_nobody(words), file("output"));
    EXPECT_EQ(command.process().wait().status, status) << text_of(file("output"));
    return text_of(file("output"));
  }
  /// A program of another user instead.
  void begin_as_nobody() {
    target_ = std::make_unique<Target>(as_nobody({FAULT_APP, "jump", "-"}), "/dev/null");
    ASSERT_TRUE(begins(*target_));
    before_ = traces_of(target_->pid());
  }
};

TEST_F(TwoUsers, AProcessOfAnotherUserIsRefusedAndNotChanged) {
  const std::string why = "process " + pid() + " belongs to another user";
  EXPECT_THAT(output_of_nobody({"probe", "fault_work", "--pid", pid(), "--for", "1ms"}, 3), HasSubstr(why));
  EXPECT_THAT(output_of_nobody({"attach", "--probe", "fault_work", "--pid", pid(), "--for", "1ms"}, 3),
              HasSubstr(why));
  EXPECT_THAT(output_of_nobody({"functions", "--pid", pid()}, 3), HasSubstr(why));
  EXPECT_THAT(output_of_nobody({"probe", "fault_work", "--pid", pid(), "--off"}, 3), HasSubstr(why));
  EXPECT_THAT(output_of_nobody({"detach", "--pid", pid()}, 3), HasSubstr(why));
  // Also while there are probes to remove.
  const ProbedProcess probed(target_->pid(), plan_of(*target_));
  EXPECT_THAT(output_of_nobody({"detach", "--pid", pid()}, 3), HasSubstr(why));
  EXPECT_EQ(areas_of(target_->pid()).size(), 1U);
}

// Locks are per user, so they do not exclude tools of different users: the journal in the process does.
TEST_F(TwoUsers, AUserIsToldThatRootHasProbesInAProcessAndMayRemoveThem) {
  begin_as_nobody();
  ProbedProcess probed(target_->pid(), plan_of(*target_));
  EXPECT_THAT(
      output_of_nobody({"probe", "fault_jump", "--pid", pid(), "--for", "1ms"}, 3),
      HasSubstr("has probes of another eventspace that is running (process " + std::to_string(::getpid())));
  ASSERT_EQ(areas_of(target_->pid()).size(), 1U);
  EXPECT_THAT(output_of_nobody({"detach", "--pid", pid()}, 0), HasSubstr("1 probe removed"));
  EXPECT_THAT(areas_of(target_->pid()), IsEmpty());
  EXPECT_EQ(probed.remove().removed, 0U) << "none is there any more";
}

// Only the user of the segment's file can read it.
TEST_F(TwoUsers, AProcessOfAnotherUserCannotRecordForRootAndIsNotChanged) {
  begin_as_nobody();
  auto attach = tool("attach", {"attach", "--probe", "fault_work", "--pid", pid(), "--for", "1ms"});
  EXPECT_EQ(attach->process().wait().status, 3);
  EXPECT_THAT(text_of(file("attach")), HasSubstr("its system call open failed: Permission denied"));
  EXPECT_THAT(areas_of(target_->pid()), IsEmpty());
}

}  // namespace
}  // namespace eventspace

#endif
