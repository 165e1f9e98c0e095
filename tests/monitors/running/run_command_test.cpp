#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/monitors/workplace.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_commands::Call;
using testing_commands::read_text;

class RunCommand : public testing_commands::Workplace {
 protected:
  Call run(const std::vector<std::string>& options, const std::vector<std::string>& command) {
    std::vector<std::string> arguments{"run", pathmap_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return start(arguments);
  }
  Call shell(const std::string& script, const std::vector<std::string>& options = {}) {
    return run(options, {"sh", "-c", script});
  }
  Call tiny_app(const std::vector<std::string>& options = {}) { return run(options, {TINY_APP}); }
  // The processes of the application, without `eventspace run`, whose command line contains the name as well.
  [[nodiscard]] std::vector<int> apps() const {
    std::vector<int> found = processes_with(TINY_APP);
    std::erase_if(found, [](int pid) {
      return !testing_commands::read_text("/proc/" + std::to_string(pid) + "/cmdline").starts_with(TINY_APP);
    });
    return found;
  }
  static bool is_ready(const Call& call) { return call.says("ready p0") && call.says("ready p1"); }
  // An application whose p0 was killed and whose p1 has ended.
  void leave_an_orphan() {
    auto call = tiny_app();
    ASSERT_TRUE(is_ready(call)) << call.err();
    ASSERT_THAT(apps(), SizeIs(2));
    ::kill(apps()[0], SIGKILL);
    EXPECT_TRUE(call.says("was killed by SIGKILL; 1 still running"));
    call.signal(SIGTERM);
    EXPECT_EQ(call.status(), 1);
  }

  std::filesystem::path pathmap_ = tiny();
};

TEST_F(RunCommand, EveryProcessLearnsItsName) {
  auto call = shell(R"(echo "$EVENTSPACE_PROCESS of $EVENTSPACE_SESSION by $EVENTSPACE_PATHMAP")",
                    {"--session", "s1"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(call.out(), HasSubstr("p0 of s1 by " + pathmap_.string()));
  EXPECT_THAT(call.out(), HasSubstr("p1 of s1 by " + pathmap_.string()));
}

TEST_F(RunCommand, WhenOneFailsTheOthersContinue) {
  auto call = shell("[ $EVENTSPACE_PROCESS = p1 ] || exit 7; exec sleep 1000");
  EXPECT_TRUE(call.says("process p0 (pid "));
  EXPECT_TRUE(call.says("ended with status 7; 1 still running"));
  call.signal(SIGTERM);
  EXPECT_EQ(call.status(), 1);
}

TEST_F(RunCommand, WhenOneFailsTheOthersEndIfAsked) {
  auto call = shell("[ $EVENTSPACE_PROCESS = p1 ] || exit 7; exec sleep 1000", {"--kill-on-failure"});
  EXPECT_EQ(call.status(), 1);
  EXPECT_THAT(call.err(), HasSubstr("p1"));
}

TEST_F(RunCommand, AKilledProcessIsNamed) {
  auto call = shell("[ $EVENTSPACE_PROCESS = p1 ] || kill -9 $$");
  EXPECT_EQ(call.status(), 1);
  EXPECT_THAT(call.err(), HasSubstr("process p0 (pid "));
  EXPECT_THAT(call.err(), HasSubstr("was killed by SIGKILL"));
}

TEST_F(RunCommand, ACommandThatDoesNotExistStartsNothing) {
  auto call = run({}, {"no-such-command"});
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("'no-such-command' not found"));
}

TEST_F(RunCommand, WithoutACommandItPrintsAHint) {
  auto call = this->call({"run", pathmap_});
  EXPECT_EQ(call.status(), 2);
  EXPECT_THAT(call.err(), HasSubstr("-- CMD"));
}

TEST_F(RunCommand, CtrlCReachesTheApplicationAndASecondCtrlCKillsIt) {
  auto call = shell("trap 'echo told' INT; echo ready; while :; do sleep 0.02; done");
  ASSERT_TRUE(call.says("ready\nready"));
  call.signal(SIGINT);
  EXPECT_TRUE(call.says("told\ntold"));
  call.signal(SIGINT);
  EXPECT_EQ(call.status(), 1);
}

TEST_F(RunCommand, SharedMemoryThatCannotBeUsedIsStatus3) {
  ::setenv("EVENTSPACE_SHM_DIR", "/proc/self/nonexistent", 1);
  auto call = tiny_app();
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("/proc/self/nonexistent"));
  EXPECT_THAT(apps(), IsEmpty());
}

TEST_F(RunCommand, WithoutCollectingNoSharedMemoryIsNeeded) {
  ::setenv("EVENTSPACE_SHM_DIR", "/proc/self/nonexistent", 1);
  auto call = run({"--no-collect"}, {TINY_APP, "3"});
  EXPECT_EQ(call.status(), 0) << call.err();
}

TEST_F(RunCommand, ASecondApplicationInTheSessionIsRefused) {
  auto first = tiny_app();
  ASSERT_TRUE(is_ready(first));
  auto second = tiny_app();
  EXPECT_EQ(second.status(), 3);
  EXPECT_THAT(second.err(), HasSubstr("choose another --session"));
  auto elsewhere = run({"--session", "other"}, {TINY_APP, "3"});
  EXPECT_EQ(elsewhere.status(), 0) << elsewhere.err();
  first.signal(SIGTERM);
  EXPECT_EQ(first.status(), 0) << first.err();
}

TEST_F(RunCommand, SegmentsOfDeadProcessesAreKeptForTheirTime) {
  ASSERT_NO_FATAL_FAILURE(leave_an_orphan());
  auto call = run({}, {TINY_APP, "3"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(call.err(), HasSubstr("1 segment of dead processes of this session is kept"));
}

TEST_F(RunCommand, SegmentsOfDeadProcessesGoAfterTheirTime) {
  ASSERT_NO_FATAL_FAILURE(leave_an_orphan());
  pathmap_ = tiny(7, 8, "limits: {keep: 0s}");
  auto call = run({}, {"true"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(RunCommand, SegmentsAreListedAndSegmentsOfDeadProcessesRemoved) {
  ASSERT_NO_FATAL_FAILURE(leave_an_orphan());
  auto app = tiny_app();
  ASSERT_TRUE(is_ready(app));
  auto list = call({"segments", pathmap_, "--format", "csv"});
  EXPECT_EQ(list.status(), 0);
  EXPECT_THAT(list.out(), HasSubstr(",dead,1,"));
  EXPECT_THAT(list.out(), HasSubstr(",alive,1,"));
  auto removal = call({"segments", "--session", "tiny", "--remove"});
  EXPECT_THAT(removal.err(), HasSubstr("removed 1 files of dead processes"));
  auto rest = call({"segments", "--format", "csv"}).out();
  EXPECT_THAT(rest, testing::Not(HasSubstr(",dead,")));
  EXPECT_THAT(rest, HasSubstr(",alive,1,"));
}

/// Drafts of files, as they are while a process joins.
class SegmentsCommand : public RunCommand {
 protected:
  static constexpr int no_process = 0x3fffffff;
  [[nodiscard]] std::filesystem::path draft(int pid, const std::string& suffix = "") const {
    return file("shm") /
           (session_files::prefix("tiny", "n1") + "p0." + std::to_string(pid) + suffix + ".new");
  }
  /// A new draft may belong to a process of another container.
  static void make_older(const std::filesystem::path& file) {
    std::filesystem::last_write_time(file,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  }
};

TEST_F(SegmentsCommand, DraftsOfKilledProcessesAreListedAndRemoved) {
  for (const char* const suffix : {"", ".elements"}) {
    std::ofstream(draft(no_process, suffix)) << "half";
    make_older(draft(no_process, suffix));
  }
  auto list = call({"segments", "--session", "tiny", "--format", "csv"});
  EXPECT_THAT(list.out(), HasSubstr(draft(no_process).string() + ",,draft,"));
  EXPECT_THAT(list.out(), HasSubstr(draft(no_process, ".elements").string() + ",,draft,"));
  auto removal = call({"segments", "--session", "tiny", "--remove"});
  EXPECT_THAT(removal.err(), HasSubstr("removed 2 files of dead processes"));
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(SegmentsCommand, DraftsOfProcessesThatAreAboutToJoinStay) {
  std::ofstream(draft(::getpid())) << "half";
  std::ofstream(draft(::getpid(), ".elements")) << "half";
  const std::string in_container = draft(no_process).replace_extension("").string();
  const FileDraft in_use(in_container, 4096, "segment");
  for (const char* session : {"", "tiny"}) {
    auto removal = call({"segments", "--session", session, "--remove"});
    EXPECT_THAT(removal.err(), HasSubstr("removed 0 files of dead processes"));
  }
  EXPECT_TRUE(std::filesystem::exists(draft(::getpid())));
  EXPECT_TRUE(std::filesystem::exists(draft(::getpid(), ".elements")));
  EXPECT_TRUE(std::filesystem::exists(in_container + ".new"));
}

/// Like RunCommand, with a shared element in each process: p0, which leave_an_orphan kills, and p1.
class RunCommandWithSharedElements : public RunCommand {
 protected:
  RunCommandWithSharedElements() {
    std::string text = read_text(pathmap_);
    const std::string rules =
        "  elements:\n    - {elements: log/a, process: p0, shared: 4KiB}\n"
        "    - {elements: log/b, process: p1, shared: 4KiB}\n";
    text.insert(text.find("collect:"), rules);
    pathmap_ = write("shared.yaml", text);
  }
};

TEST_F(RunCommandWithSharedElements, ElementFilesOfDeadProcessesAreListedAndRemoved) {
  ASSERT_NO_FATAL_FAILURE(leave_an_orphan());
  auto list = call({"segments", pathmap_, "--format", "csv"});
  EXPECT_THAT(list.out(), HasSubstr(",dead,1,"));
  EXPECT_THAT(list.out(), HasSubstr(".elements,,elements,1"));
  auto removal = call({"segments", pathmap_, "--remove"});
  EXPECT_THAT(removal.err(), HasSubstr("removed 2 files of dead processes"));
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(RunCommandWithSharedElements, TheNextRunRemovesThemAtOnce) {
  ASSERT_NO_FATAL_FAILURE(leave_an_orphan());
  auto call = run({}, {TINY_APP, "3"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(call.err(), HasSubstr("1 segment of dead processes of this session is kept"));
  EXPECT_THAT(this->call({"segments", pathmap_}).out(), testing::Not(HasSubstr(".elements")));
}

TEST_F(RunCommandWithSharedElements, DownRemovesThemIfAsked) {
  ASSERT_NO_FATAL_FAILURE(leave_an_orphan());
  auto down = call({"down", pathmap_, "--clean"});
  EXPECT_EQ(down.status(), 0) << down.err();
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(RunCommandWithSharedElements, SharedMemoryIsNeededWithoutCollectingToo) {
  ::setenv("EVENTSPACE_SHM_DIR", "/proc/self/nonexistent", 1);
  auto call = run({"--no-collect"}, {TINY_APP, "3"});
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("cannot make shared elements in /proc/self/nonexistent"));
}

TEST_F(RunCommand, ServersStartAndStopWithIt) {
  auto app = tiny_app({"--server-up"});
  ASSERT_TRUE(is_ready(app)) << app.err();
  EXPECT_THAT(processes_with("serve"), SizeIs(2));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0) << app.err();
  EXPECT_THAT(processes_with("serve"), IsEmpty());
}

}  // namespace
}  // namespace eventspace
