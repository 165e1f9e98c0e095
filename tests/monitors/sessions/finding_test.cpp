#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/lines.h"
#include "tests/monitors/sessions/market.h"
#include "tests/tuplespace/stopped_process.h"

// How monitors and other commands find servers, sessions and processes, and their messages when there are
// none.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_commands::Call;
using testing_commands::free_port;

class Finding : public testing_commands::Market {
 protected:
  /// Nodes that are reached at ports without keys, so that any program reaches them.
  [[nodiscard]] std::filesystem::path open_market(const std::string& name, int port1, int port2,
                                                  const std::string& writers = "w0, w1") const {
    return market(
        name,
        fmt::format("n1: {{host: 127.0.0.1, port: {}}}, n2: {{host: 127.0.0.1, port: {}}}", port1, port2),
        writers, "security: none\n");
  }
};

TEST_F(Finding, AMonitorWithoutServersPrintsOneLineWithAHintAndExitsWith3) {
  const std::string pathmap = market();
  const std::vector<std::vector<std::string>> monitors{
      {"heartbeat", pathmap, "--once"},
      {"heartbeat", pathmap},
      {"top", pathmap, "--once"},
      {"top", pathmap, "--lines"},
      {"events", pathmap},
      {"values", pathmap},
      {"draw", pathmap, "--scope", "heartbeat", "--live", "-o", file("live.dot")},
      {"tune", pathmap, "--scope", "heartbeat", "--progress", "queue", "--max-slowdown", "2"},
      {"heartbeat",
       market("ported.yaml", fmt::format("n1: {{host: 127.0.0.1, port: {}}}, n2: {{}}", free_port())),
       "--once", "--timeout", "1s"}};
  for (const auto& arguments : monitors) {
    Call monitor = call(arguments);
    EXPECT_EQ(monitor.status(), 3) << arguments[0];
    EXPECT_THAT(monitor.out(), IsEmpty()) << arguments[0];
    EXPECT_THAT(test::lines_of(monitor.err()), SizeIs(1));
    EXPECT_THAT(monitor.err(),
                AllOf(StartsWith("eventspace: no server of session 'market' answers (nodes n1..n2)"),
                      HasSubstr("run `eventspace up " + arguments[1] + "` first")));
  }
}

TEST_F(Finding, WithASessionNameTheHintNamesIt) {
  Call monitor = call({"heartbeat", market(), "--session", "evening", "--once"});
  EXPECT_THAT(monitor.err(),
              HasSubstr("`eventspace up " + file("market.yaml").string() + " --session evening`"));
}

TEST_F(Finding, AMonitorWithAnotherVersionOfThePathmapExitsWith3) {
  const int port1 = free_port();
  const int port2 = free_port();
  const auto pathmap = open_market("market.yaml", port1, port2);
  start_servers_of(pathmap);
  Call monitor = call({"heartbeat", open_market("changed.yaml", port1, port2, "w0, w1, w2"), "--once"});
  EXPECT_EQ(monitor.status(), 3);
  EXPECT_THAT(monitor.out(), IsEmpty());
  EXPECT_THAT(test::lines_of(monitor.err()), SizeIs(1));
  EXPECT_THAT(monitor.err(), AllOf(HasSubstr("another version of the pathmap"), HasSubstr("eventspace down"),
                                   HasSubstr("eventspace up")));
  call({"down", pathmap});
}

TEST_F(Finding, AMonitorOfOneSessionDoesNotReadTheRunOfAnother) {
  const auto pathmap = open_market("market.yaml", free_port(), free_port());
  start_servers_of(pathmap);
  for (const char* monitor : {"heartbeat", "events"}) {
    Call other = call({monitor, pathmap, "--session", "evening", "--count", "1"});
    EXPECT_EQ(other.status(), 3) << monitor;
    EXPECT_THAT(other.out(), IsEmpty());
    EXPECT_THAT(other.err(), AllOf(HasSubstr("of session 'market', not of session 'evening'"),
                                   HasSubstr("`--session market`")));
  }
  EXPECT_EQ(call({"heartbeat", pathmap, "--once"}).status(), 0);
  call({"down", pathmap});
}

TEST_F(Finding, WithoutPortsTheRunningSessionIsNamed) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call other = call({"heartbeat", pathmap, "--session", "evening", "--once"});
  EXPECT_EQ(other.status(), 3);
  EXPECT_THAT(other.err(), HasSubstr("found session 'market' of this pathmap"));
  call({"down", pathmap});
}

TEST_F(Finding, DownOfAnEndedSessionNamesTheRunningSessionAndDoesNotStopIt) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call other = call({"down", pathmap, "--session", "evening"});
  EXPECT_EQ(other.status(), 3);
  EXPECT_THAT(other.err(), AllOf(HasSubstr("no server of session 'evening' runs on this machine"),
                                 HasSubstr("found session 'market'"), HasSubstr("--session market")));
  Call named = call({"down", pathmap, "--session", "market"});
  EXPECT_EQ(named.status(), 0);
  EXPECT_THAT(named.out(), AllOf(HasSubstr("n1: stopped"), HasSubstr("n2: stopped")));
  Call again = call({"down", pathmap});
  EXPECT_EQ(again.status(), 0) << "there is nothing to be mistaken about";
  EXPECT_THAT(again.out(), HasSubstr("n1: not running"));
}

TEST_F(Finding, LsShowsASessionWithOnlyServersAndThenItsProcesses) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call servers = call({"ls", "--format", "csv"});
  EXPECT_THAT(servers.out(), HasSubstr(fmt::format("market,{},n1 n2,0,0,0,0,", pathmap.string())));
  EXPECT_THAT(servers.out(), HasSubstr(",2\n"));
  EXPECT_THAT(call({"ls", "market"}).out(), AllOf(HasSubstr("server@n1"), HasSubstr("server@n2")));

  Call application = start({"run", pathmap, "--", QUEUE_APP, "nothing"});
  ASSERT_TRUE(application.says("ready writers") && application.says("ready readers")) << application.err();
  EXPECT_THAT(call({"ls", "--format", "csv"}).out(),
              HasSubstr(fmt::format("market,{},n1 n2,2,0,", pathmap.string())));
  application.signal(SIGTERM);
  application.status();
  call({"down", pathmap});
  EXPECT_THAT(call({"ls"}).err(), HasSubstr("no session on this machine"));
}

TEST_F(Finding, LsAndHeartbeatWorkWithoutADirectoryForSessions) {
  const auto pathmap = market();
  Call application = start({"run", pathmap, "--", QUEUE_APP, "nothing"});
  ASSERT_TRUE(application.says("ready writers") && application.says("ready readers")) << application.err();
  // A directory of this user in which files cannot be made: as with a read-only /tmp.
  const std::vector<std::string> elsewhere{"env", "XDG_RUNTIME_DIR=/proc/self/task"};
  Call sessions = start({"ls", "--format", "csv"}, elsewhere);
  EXPECT_EQ(sessions.status(), 0) << sessions.err();
  EXPECT_THAT(sessions.out(), HasSubstr("\nmarket,"));
  Call processes = start({"ls", "market", "--format", "csv"}, elsewhere);
  EXPECT_EQ(processes.status(), 0) << processes.err();
  EXPECT_THAT(processes.out(), AllOf(HasSubstr("\nwriters,n1,"), HasSubstr("\nreaders,n2,")));
  for (const std::string command : {"streams", "group"}) {
    Call listed = start({command}, elsewhere);
    EXPECT_EQ(listed.status(), 0) << command << ": " << listed.err();
  }
  application.signal(SIGTERM);
  application.status();
}

TEST_F(Finding, AMonitorThatSeesNoProcessPrintsHowToStartTheApplication) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"heartbeat", pathmap, "--once"}, {"events", pathmap, "--for", "100ms"}}) {
    EXPECT_THAT(
        call(arguments).err(),
        HasSubstr(
            "no process of the session runs: none has started yet, or all have ended. `eventspace run " +
            pathmap.string() + "` starts the application"))
        << arguments[0];
  }
  EXPECT_THAT(call({"switch", pathmap}).err(),
              HasSubstr("no process of session 'market' runs: `eventspace run` starts the application"));
  call({"down", pathmap});
}

TEST_F(Finding, AMonitorContinuesWhenItsServersAreLost) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call monitor = start({"heartbeat", pathmap, "--interval", "100ms", "--timeout", "100ms"});
  ASSERT_TRUE(monitor.says("not started"));
  call({"down", pathmap});
  EXPECT_TRUE(monitor.says("4 unreachable"));
  EXPECT_TRUE(monitor.says("\n         unreachable: w0..w1, r0..r1\n"));
  start_servers_of(pathmap);
  monitor.signal(SIGINT);
  EXPECT_NE(monitor.status(), 3);
  EXPECT_THAT(monitor.out(), Not(HasSubstr("STALL")));
  call({"down", pathmap});
}

// --- the awaited things of stuck threads, and elements ---

TEST_F(Finding, AReaderThatShouldTakeIsShownWithTheFullElementAndTheWaitingWriters) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call application = start({"run", pathmap, "--", QUEUE_APP, "read"});
  Call monitor = call({"heartbeat", pathmap, "--stall", "500ms", "--until-stall"});
  EXPECT_EQ(monitor.status(), 1);
  EXPECT_TRUE(testing_commands::eventually([&] {
    const std::string said = call({"heartbeat", pathmap, "--stall", "200ms", "--once"}).out();
    return said.find(
               "WAIT at queue: 50 of 50 tuples; w0, w1 wait to write; could take: r0 (running, last a read), "
               "r1 (running, last a read)") != std::string::npos;
  }));
  Call elements = call({"elements", pathmap, "--interval", "20ms"});
  EXPECT_EQ(elements.status(), 0) << elements.err();
  EXPECT_THAT(elements.out(), AllOf(HasSubstr("50 of 50"), HasSubstr("#1 "), HasSubstr("#50"),
                                    HasSubstr("read: r0..r1; write: w0..w1")));
  EXPECT_THAT(call({"elements", pathmap, "--interval", "20ms", "--format", "csv"}).out(),
              HasSubstr("\nqueue,process readers,memory,(int),wait,50,50,,,1,50,50,0,0,0,0,0.0,0.0,"
                        "read: r0..r1; write: w0..w1,\n"));
  application.signal(SIGTERM);
  application.status();
  call({"down", pathmap});
}

TEST_F(Finding, ATakerWhoseWritersWereKilledWaitsOnlyForThem) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const auto processes = [&] { return call({"ls", "market", "--format", "csv"}).out(); };
  const std::string list = processes();
  const std::string row = "\nwriters,n1,";
  const std::size_t at = list.find(row);
  ASSERT_NE(at, std::string::npos) << list;
  ASSERT_EQ(::kill(std::stoi(list.substr(at + row.size())), SIGKILL), 0) << list;
  std::string said;
  EXPECT_TRUE(testing_commands::eventually([&] {
    said = call({"heartbeat", pathmap, "--stall", "200ms", "--once"}).out();
    return said.find(
               "r0, r1 wait to take; no thread is left to write: w0 (process dead, last a write), "
               "w1 (process dead, last a write)") != std::string::npos;
  })) << said;
  EXPECT_THAT(said, AllOf(HasSubstr("STALL at w0: process dead"), HasSubstr("2 threads wait for it"),
                          Not(HasSubstr("0 threads wait for it"))));
  application.signal(SIGTERM);
  application.status();
  call({"down", pathmap});
}

TEST_F(Finding, ElementsInSharedMemoryAreSeenWithoutTheirProcess) {
  const auto pathmap = market("shared.yaml", "n1: {}", "w0, w1", "", ", shared: 64KiB");
  Call application = start_market(pathmap, "nothing");
  for (const int process : processes_with(QUEUE_APP)) test::stop_whole(process);
  Call elements = call({"elements", pathmap, "--interval", "10ms", "--timeout", "20s", "--format", "csv"});
  EXPECT_EQ(elements.status(), 0) << elements.err();
  EXPECT_THAT(elements.out(), HasSubstr("\nqueue,process readers,shared,(int),wait,"));
  for (const int process : processes_with(QUEUE_APP)) ::kill(process, SIGCONT);
  application.signal(SIGTERM);
  application.status();
  call({"down", pathmap});
}

TEST_F(Finding, ElementsBeforeTheApplicationShowThatTheirHostDoesNotAnswer) {
  const auto pathmap = market();
  EXPECT_EQ(call({"elements", pathmap}).status(), 3) << "no server";
  EXPECT_THAT(call({"segments"}).err(), HasSubstr("no files of a session in shared memory"));
  start_servers_of(pathmap);
  Call elements = call({"elements", pathmap, "--interval", "10ms", "--timeout", "2s"});
  EXPECT_EQ(elements.status(), 3) << elements.out();
  EXPECT_THAT(elements.out(), AllOf(HasSubstr("queue"), HasSubstr("read: r0..r1; write: w0..w1")));
  EXPECT_THAT(elements.err(), AllOf(HasSubstr("the application has not started yet, or has ended"),
                                    HasSubstr("`eventspace run " + pathmap.string() + "` starts it")));
  Call none = call({"elements", pathmap, "--elements", "zz*"});
  EXPECT_EQ(none.status(), 2);
  EXPECT_THAT(none.err(), HasSubstr("--elements 'zz*' matches no element"));
  call({"down", pathmap});
}

TEST_F(Finding, ElementsOfASessionWithoutAPathmapHaveTheObservedUsers) {
  Call application = start({"run", "--session", "solver", "--", DYNAMIC_APP, "queue-again"});
  ASSERT_TRUE(application.says("tuple 1")) << application.err();
  Call elements = call({"elements", "solver", "--interval", "10ms", "--format", "csv"});
  EXPECT_EQ(elements.status(), 0) << elements.err();
  EXPECT_THAT(elements.out(), HasSubstr("\nqueue,session solver,memory,(int),wait,1,200,,,1,1,1,0,"));
  EXPECT_THAT(elements.out(), HasSubstr("/main"));
  for (const char* command : {"draw", "check", "up"}) {
    EXPECT_THAT(call({command, "solver"}).err(),
                HasSubstr("'solver' is a session without a pathmap; this command needs a pathmap file"))
        << command;
  }
  application.signal(SIGTERM);
  application.status();
}

TEST_F(Finding, AnObserverSeesTheElementsButNotWhatTheyHold) {
  const auto pathmap = market();
  Call application = start_market(pathmap, "nothing");
  const std::string token = file("token");
  ASSERT_EQ(call({"share", pathmap, "--host", "127.0.0.1", "-o", token}).status(), 0);
  Call elements = call({"elements", pathmap, "--token", token, "--interval", "10ms", "--format", "csv"});
  EXPECT_EQ(elements.status(), 0) << elements.err();
  EXPECT_THAT(elements.out(), HasSubstr("\nqueue,process readers,memory,(int),wait,"));
  application.signal(SIGTERM);
  application.status();
  call({"down", pathmap});
}

}  // namespace
}  // namespace eventspace
