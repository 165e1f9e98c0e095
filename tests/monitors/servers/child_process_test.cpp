#include "monitors/servers/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <iostream>
#include <thread>

#include <eventspace/error.h>
#include "monitors/cli/signal_waiter.h"
#include "monitors/servers/process_handle.h"
#include "monitors/servers/server_files.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/system/few_descriptors.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing_commands::read_text;

class Children : public testing_commands::Workplace {
 protected:
  static ChildProcess shell(const std::string& script) {
    return ChildProcess::start({{"sh", "-c", script}, {}});
  }
};

TEST_F(Children, EndWithAStatusOrASignal) {
  EXPECT_TRUE(shell("exit 0").wait().is_fine());
  EXPECT_EQ(to_string(shell("exit 3").wait()), "ended with status 3");
  EXPECT_EQ(to_string(shell("kill -9 $$").wait()), "was killed by SIGKILL");
}

TEST_F(Children, SeeTheEnvironmentAndNothingToRead) {
  const ChildSpec spec{{"sh", "-c", "cat; echo $GREETING"}, {{"GREETING", "hello"}}, file("said")};
  EXPECT_TRUE(ChildProcess::start(spec).wait().is_fine());
  EXPECT_EQ(read_text(file("said")), "hello\n");
}

TEST_F(Children, HaveNoSignalBlocked) {
  const SignalWaiter signals{SIGTERM, SIGCHLD};
  EXPECT_EQ(shell("kill -TERM $$; exit 0").wait().signal, SIGTERM);
}

TEST_F(Children, SignalsReachTheWholeGroup) {
  const ChildSpec spec{{"sh", "-c", "sh -c 'echo here; exec sleep 1000' & wait"}, {}, file("said")};
  auto child = ChildProcess::start(spec);
  ASSERT_TRUE(testing_commands::eventually([&] { return read_text(file("said")) == "here\n"; }));
  child.signal(SIGKILL);
  child.wait();
  EXPECT_TRUE(testing_commands::eventually([&] { return processes_with("1000").empty(); }));
}

// A copy of this process writes its own properties to its output.
TEST_F(Children, ACopyOfThisProcessRunsItsBodyAndIsShownAsItsCommand) {
  ASSERT_TRUE(may_fork());
  ChildSpec spec{{"some server", "--node", "n1"}, {{"GREETING", "hello"}}, file("said")};
  spec.detached = true;
  const SignalWaiter signals{SIGTERM};
  auto child = ChildProcess::fork(spec, [] {
    std::cout << read_text("/proc/self/cmdline") << '\n'
              << std::getenv("GREETING") << ' ' << (::getsid(0) == ::getpid()) << ' ' << std::cin.get()
              << '\n';
    return 7;
  });
  EXPECT_EQ(child.wait().status, 7);
  EXPECT_EQ(read_text(file("said")), std::string("some server\0--node\0n1\0", 22) + "\nhello 1 -1\n");
}

TEST_F(Children, ACopyOfThisProcessKeepsNothingOfItsOpen) {
  const ServerFiles files("s");
  std::optional<FileHandle> held = files.lock("n1", 0s);
  auto child = ChildProcess::fork({{"waits"}, {}, file("said")}, [] {
    std::cout << "here" << std::endl;
    ::pause();
    return 0;
  });
  ASSERT_TRUE(testing_commands::eventually([&] { return read_text(file("said")) == "here\n"; }));
  held.reset();
  EXPECT_NO_THROW((void)files.lock("n1", 0s));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().signal, SIGTERM);
}

TEST_F(Children, SignalsReachACopyAtOnce) {
  for (int i = 0; i < 20; ++i) {
    auto child = ChildProcess::fork({{"waits"}, {}}, [] { return ::pause(); });
    child.signal(SIGKILL);
    EXPECT_EQ(child.wait().signal, SIGKILL);
  }
}

TEST_F(Children, OneThatEndsWithItsParentHasTheSameFilesAndEnvironment) {
  const ChildSpec spec{.command = {"sh", "-c", "cat; echo $GREETING; echo wrong >&2; exit 3"},
                       .environment = {{"GREETING", "hello"}},
                       .output = file("said"),
                       .ends_with_parent = true};
  const SignalWaiter signals{SIGTERM, SIGCHLD};
  EXPECT_EQ(ChildProcess::start(spec).wait().status, 3);
  EXPECT_EQ(read_text(file("said")), "hello\nwrong\n");
  const ChildSpec killed{
      .command = {"sh", "-c", "kill -TERM $$"}, .environment = {}, .ends_with_parent = true};
  EXPECT_EQ(ChildProcess::start(killed).wait().signal, SIGTERM);
}

TEST_F(Children, OneThatEndsWithItsParentDoesSoIfThatIsKilled) {
  const auto parent = ChildProcess::fork({{"parent"}, {}}, [] {
    (void)ChildProcess::start({.command = {"sleep", "1003"}, .environment = {}, .ends_with_parent = true});
    return ::pause();
  });
  ASSERT_TRUE(testing_commands::eventually([&] { return !processes_with("1003").empty(); }));
  ::kill(parent.pid(), SIGKILL);
  EXPECT_TRUE(testing_commands::eventually([&] { return processes_with("1003").empty(); }));
}

TEST_F(Children, AProcessOfSeveralThreadsMayNotFork) {
  std::promise<void> end;
  std::thread other([&end] { end.get_future().wait(); });
  EXPECT_FALSE(may_fork());
  end.set_value();
  other.join();
}

TEST_F(Children, ACommandThatCannotBeStartedIsAnError) {
  EXPECT_THROW(ChildProcess::start({{"no-such-command"}, {}}), EnvironmentError);
  EXPECT_THROW(ChildProcess::start({{write("data", "no program").string()}, {}}), EnvironmentError);
  EXPECT_THROW(ChildProcess::fork({{"copy"}, {}, file("no/such/directory")}, [] { return 0; }),
               EnvironmentError);
}

TEST_F(Children, HandlesAreOfOneProcessOnly) {
  auto child = shell("exec sleep 1000");
  const auto stat = read_process_stat(child.pid());
  ASSERT_TRUE(stat);
  EXPECT_FALSE(ProcessHandle::open(child.pid(), stat->start_ticks + 1));
  const auto handle = ProcessHandle::open(child.pid(), stat->start_ticks);
  ASSERT_TRUE(handle);
  EXPECT_FALSE(handle->wait_ended(1ms));
  end_processes({&*handle}, 10s);
  EXPECT_EQ(child.wait().signal, SIGTERM);
  EXPECT_FALSE(ProcessHandle::open(child.pid(), stat->start_ticks));
}

TEST_F(Children, AProcessThatCannotBeExaminedIsAnErrorNotItsEnd) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  auto child = shell("exec sleep 1000");
  const std::uint64_t started = read_process_stat(child.pid())->start_ticks;
  for (const int left : {0, 1}) {  // too few for the handle, or for checking the held process
    const test::FewDescriptors few(left);
    EXPECT_THROW((void)ProcessHandle::open(child.pid(), started), EnvironmentError) << left;
  }
  child.signal(SIGKILL);
  child.wait();
}

TEST_F(Children, ServerFilesFindTheProcessThatWasRemembered) {
  const ServerFiles files("a session/with..odd characters");
  EXPECT_FALSE(files.find("n1"));
  auto child = shell("exec sleep 1000");
  files.remember("n1", child.pid());
  ASSERT_TRUE(files.find("n1"));
  EXPECT_EQ(files.find("n1")->pid, child.pid());
  child.signal(SIGKILL);
  child.wait();
  EXPECT_FALSE(files.find("n1"));
}

TEST_F(Children, ServerFilesRefuseADirectoryThatOthersMayUse) {
  std::filesystem::create_directory(file("eventspace"));
  std::filesystem::permissions(file("eventspace"), std::filesystem::perms(0755));
  EXPECT_THROW(ServerFiles("s"), EnvironmentError);
}

TEST_F(Children, ServerFilesAreLockedByOneAtATime) {
  const ServerFiles files("s");
  {
    const FileHandle held = files.lock("n1", 0s);
    EXPECT_THROW((void)files.lock("n1", 10ms), EnvironmentError);
    EXPECT_NO_THROW((void)files.lock("n2", 0s));
  }
  EXPECT_NO_THROW((void)files.lock("n1", 0s));
}

TEST_F(Children, ServerFilesShowTheEndOfALog) {
  const ServerFiles files("s");
  write("eventspace/s/n1.log", "first line\nsecond line\n");
  EXPECT_EQ(files.log_tail("n1"), "first line\nsecond line");
  EXPECT_EQ(files.log_tail("n1", 15), "second line");
  EXPECT_EQ(files.log_tail("n2"), "");
}

}  // namespace
}  // namespace eventspace
