// `eventspace run` while it waits for a command with MPI: for the user and the shell it acts like the
// command.
#include <signal.h>
#include <unistd.h>

#include "tests/monitors/servers/mpi_programs.h"
#include "tests/monitors/top/terminal_program.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::eventually;
using testing_commands::TerminalProgram;

// Prints the signals that it gets, and ends at the second one. It does not start processes, which could be
// stopped in its place.
constexpr const char* counting_script =
    R"(n=0; trap 'n=$((n+1)); echo "signal $n"' TERM INT USR1; trap 'echo continued' CONT; exec 3<> <(:); )"
    R"(echo ready; until [ $n -ge 2 ]; do read -t 0.02 -u 3; done; exit 9)";

class WaitingRunTest : public MpiProgramTest {
 protected:
  Call run_script(const std::string& script) { return run({"bash", "-c", script}, {"--mpi", MPI_NAME}); }
};

TEST_F(WaitingRunTest, RunEndsWithTheStatusOrSignalOfTheCommand) {
  for (const auto& [script, status] : std::vector<std::pair<std::string, int>>{{"exit 0", 0},
                                                                               {"exit 7", 7},
                                                                               {"exit 255", 255},
                                                                               {"kill -TERM $$", -SIGTERM},
                                                                               {"kill -SEGV $$", -SIGSEGV},
                                                                               {"kill -KILL $$", -SIGKILL}}) {
    EXPECT_EQ(run_script(script).status(), status) << script;
  }
}

TEST_F(WaitingRunTest, ASignalToRunReachesTheCommand) {
  Call call = run_script(counting_script);
  ASSERT_TRUE(call.says("ready")) << call.err();
  ::kill(call.pid(), SIGTERM);
  ASSERT_TRUE(call.says("signal 1")) << call.out();
  ::kill(call.pid(), SIGUSR1);
  EXPECT_EQ(call.status(), 9);
  EXPECT_EQ(call.out(), "ready\nsignal 1\nsignal 2\n");
}

TEST_F(WaitingRunTest, KillingRunKillsTheCommand) {
  Call call = run_script("echo $$; exec sleep 1000");
  ASSERT_TRUE(eventually([&] { return call.out().ends_with('\n'); }));
  const int command = std::stoi(call.out());
  ::kill(call.pid(), SIGKILL);
  EXPECT_EQ(call.status(), -SIGKILL);
  EXPECT_TRUE(eventually([&] { return ::kill(command, 0) != 0; }));
}

TEST_F(WaitingRunTest, TheCommandInheritsInputAndIgnoredSignals) {
  Call call = start({"run", "--session", "job", "--mpi", MPI_NAME, "--", "sh", "-c",
                     "cat; grep -c 'SigIgn:.*1$' /proc/self/status"},
                    {"sh", "-c", R"(trap '' HUP; echo words | "$0" "$@")"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_EQ(call.out(), "words\n1\n");
}

TEST_F(WaitingRunTest, ACommandThatCannotBeExecutedIsStatus3) {
  write("garbage", "\177ELF but no program\n");
  std::filesystem::permissions(file("garbage"), std::filesystem::perms::owner_all);
  Call call = run({file("garbage")}, {"--mpi", MPI_NAME});
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("cannot execute"));
}

TEST_F(WaitingRunTest, TheFileOfTheReportIsRemoved) {
  Call call = run_script("echo $EVENTSPACE_RUN_REPORT; test -f $EVENTSPACE_RUN_REPORT && kill -KILL $$");
  EXPECT_EQ(call.status(), -SIGKILL);
  ASSERT_THAT(call.out(), HasSubstr("/run-"));
  EXPECT_FALSE(std::filesystem::exists(call.out().substr(0, call.out().size() - 1)));
}

// A shell with job control: the command reads from the terminal, is stopped, continued and interrupted once.
TEST_F(WaitingRunTest, TheShellStopsContinuesAndInterruptsTheCommand) {
  TerminalProgram shell({"bash", "--norc", "--noprofile", "-i"}, 40, 100,
                        {{"PS1", "$ "}, {"SCRIPT", counting_script}});
  ASSERT_TRUE(shell.sees("$"));
  shell.type(EVENTSPACE_PROGRAM " run --session job --mpi " MPI_NAME
                                R"( -- bash -c 'read line; echo "read $line"; eval "$SCRIPT"')"
                                "\n");
  ASSERT_TRUE(shell.sees("session job"));
  shell.type("words\n");
  ASSERT_TRUE(shell.sees("read words")) << shell.bytes();
  ASSERT_TRUE(shell.sees("ready")) << shell.bytes();
  shell.type("\x1a");
  ASSERT_TRUE(shell.sees("Stopped")) << shell.bytes();
  shell.type("fg\n");
  ASSERT_TRUE(shell.sees("continued")) << shell.bytes();
  shell.type("\x03");
  ASSERT_TRUE(shell.sees("signal 1")) << shell.bytes();
  shell.type("\x03");
  ASSERT_TRUE(shell.sees("signal 2")) << shell.bytes();
  shell.type("echo status $?\n");
  EXPECT_TRUE(shell.sees("status 9")) << shell.bytes();
  shell.type("exit\n");
  (void)shell.status();
}

TEST_F(WaitingRunTest, MonitorsTakeTheProcessIdOfRunOfTheLauncherAndOfARank) {
  wait_at_file();
  Call program = run(mpirun("talk"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  const auto launchers = processes_with(MPIRUN);
  const auto ranks = processes_with(MPI_APP);
  ASSERT_FALSE(ranks.empty());
  ASSERT_GE(launchers.size(), 2u);  // the command line of `run` also contains the launcher
  std::vector<int> all{program.pid(), ranks.back()};
  all.insert(all.end(), launchers.begin(), launchers.end());
  for (const int pid : all) {
    Call heartbeat = call({"heartbeat", std::to_string(pid), "--once", "--list", "all", "--stall", "1min"});
    EXPECT_EQ(heartbeat.status(), 0) << heartbeat.err();
    EXPECT_THAT(heartbeat.out(), HasSubstr("2 threads")) << pid;
  }
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(call({"heartbeat", std::to_string(program.pid()), "--once"}).status(), 3);
}

}  // namespace
}  // namespace eventspace
