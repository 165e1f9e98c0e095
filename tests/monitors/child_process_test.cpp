#include "monitors/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "monitors/process_handle.h"
#include "monitors/server_files.h"
#include "monitors/signal_waiter.h"
#include "tests/monitors/workplace.h"
#include "tuplespace/error.h"
#include "tuplespace/process_stat.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
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

TEST_F(Children, WhatCannotBeStartedIsAnError) {
  EXPECT_THROW(ChildProcess::start({{"no-such-command"}, {}}), EnvironmentError);
  EXPECT_THROW(ChildProcess::start({{write("data", "no program").string()}, {}}), EnvironmentError);
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
