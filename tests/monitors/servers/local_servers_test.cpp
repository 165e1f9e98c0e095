#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "monitors/servers/server_fleet.h"
#include "tests/monitors/container.h"
#include "tests/monitors/workplace.h"
#include "tests/paths/remote/raw_server.h"

// Node servers on this machine.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_commands::eventually;
using testing_commands::free_port;
using testing_commands::TakenPort;

class LocalServers : public testing_commands::Workplace {
 protected:
  [[nodiscard]] std::vector<int> servers() const { return processes_with("serve"); }
  // A node that is reached through `launch`, with further entries in `more`.
  [[nodiscard]] std::filesystem::path far(const std::string& launch, const std::string& more = "") const {
    return write("far.yaml",
                 fmt::format("pathmap: 1\nname: far\n"
                             "cluster: {{nodes: {{n1: {{host: 127.0.0.1, port: {}, launch: [{}]}}, {}}}}}\n"
                             "application: {{threads: [a]}}\n"
                             "placement: {{processes: {{p0: {{node: n1, threads: a}}}}}}\n",
                             free_port(), launch, more));
  }

  // A launcher that continues a stopped server.
  [[nodiscard]] std::string going_on() const {
    return fmt::format("sh, -c, 'test ! -f {0} || kill -CONT $(cat {0}); \"$@\"', sh", held_up().string());
  }
  [[nodiscard]] std::filesystem::path held_up() const { return file("held-up"); }
  void hold_up(int server) const {
    std::ofstream(held_up()) << server;
    ::kill(server, SIGSTOP);
  }
};

// The kernel's scheduling classes of the threads of the process.
std::set<int> policies_of(int pid) {
  std::set<int> policies;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid)))
    policies.insert(::sched_getscheduler(std::stoi(thread.path().filename())));
  return policies;
}

TEST_F(LocalServers, HaveThePriorityOfThePathmapWithAllTheirThreads) {
  const auto pathmap = write("idle.yaml",
                             "pathmap: 1\nname: idle\npriority: idle\n"
                             "cluster: {nodes: {n1: {}, n2: {priority: low}}}\n"
                             "application: {threads: [a]}\n"
                             "placement: {processes: {p0: {node: n1, threads: a}}}\n");
  start_servers_of(pathmap);
  for (const int server : servers()) {
    const bool is_first =
        testing_commands::read_text(fmt::format("/proc/{}/cmdline", server)).find("n1") != std::string::npos;
    EXPECT_EQ(policies_of(server), std::set{is_first ? SCHED_IDLE : SCHED_OTHER});
    if (is_first) continue;
    EXPECT_GE(::getpriority(PRIO_PROCESS, static_cast<id_t>(server)), 10);
  }
  EXPECT_THAT(servers(), SizeIs(2));
}

TEST_F(LocalServers, AMonitorHasThePriorityThatItIsGiven) {
  const auto pathmap = tiny(free_port(), free_port(), testing_commands::monitors_scopes);
  start_servers_of(pathmap);
  auto idle = start({"events", pathmap, "--priority", "idle"});
  auto usual = start({"events", pathmap});
  EXPECT_TRUE(eventually([&] { return policies_of(idle.pid()) == std::set{SCHED_IDLE}; }));
  EXPECT_TRUE(eventually([&] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(usual.pid())) >= 10; }));
  EXPECT_EQ(policies_of(usual.pid()), std::set{SCHED_OTHER});
  for (auto* const monitor : {&idle, &usual}) {
    monitor->signal(SIGINT);
    EXPECT_NE(monitor->status(), 2);
  }
  auto unknown = call({"events", pathmap, "--priority", "high"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), HasSubstr("idle"));
}

TEST_F(LocalServers, NoneIsLeftWhenAPortIsTaken) {
  const TakenPort taken;
  auto up = call({"up", tiny(free_port(), taken.number())});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("n1: stopped again"));
  EXPECT_THAT(up.out(), HasSubstr("n2: failed"));
  EXPECT_THAT(up.out(), HasSubstr(std::to_string(taken.number())));
  EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(LocalServers, AServerWithTooFewDescriptorsForItsConnectionsWarns) {
  const std::vector<std::string> few{"/bin/sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"};
  auto server = start({"serve", tiny(), "--node", "n1"}, few);
  EXPECT_TRUE(server.says("serving node n1"));
  EXPECT_THAT(server.err(),
              HasSubstr("may open 200 descriptors, but `limits: connections` of 1024 needs 1088"));
  auto other = start({"serve", tiny(), "--node", "n1"});
  EXPECT_TRUE(other.says("serving node n1"));
  EXPECT_THAT(other.err(), testing::Not(HasSubstr("limits: connections")));
}

// Its process id belongs to another process here, or to none.
TEST_F(LocalServers, AServerInAContainerIsNotStoppedByADownOutside) {
  if (!testing_commands::has_containers()) GTEST_SKIP() << "no namespaces for this user";
  const auto pathmap = tiny();
  auto server = start({"serve", pathmap, "--node", "n1"}, testing_commands::in_a_container());
  ASSERT_TRUE(server.says("serving node n1")) << server.err();
  auto down = call({"down", pathmap, "--node", "n1"});
  EXPECT_EQ(down.status(), 3);
  EXPECT_THAT(down.out(), HasSubstr("n1: failed"));
  EXPECT_THAT(down.out(), HasSubstr("in another PID namespace, such as a container"));
  EXPECT_THAT(down.out(), HasSubstr("stop it there"));
  auto again = start({"serve", pathmap, "--node", "n1"});
  EXPECT_EQ(again.status(), 3) << "the server inside still has its place: " << again.err();
}

TEST_F(LocalServers, DownWithTooFewDescriptorsForgetsNoServer) {
  const auto pathmap = tiny();
  int failed = 0;
  for (int most = 4; most <= 9; ++most) {
    start_servers_of(pathmap);
    const std::string few = fmt::format("ulimit -n {}; exec \"$@\"", most);
    auto down = start({"down", pathmap}, {"/bin/sh", "-c", few, "sh"});
    failed += down.status() == 0 ? 0 : 1;
    EXPECT_THAT(down.out(), testing::Not(HasSubstr("not running"))) << most;
    EXPECT_EQ(servers().empty(), down.status() == 0) << most << ": " << down.out() << down.err();
  }
  EXPECT_GT(failed, 0);
  start_servers_of(pathmap);
  EXPECT_EQ(call({"down", pathmap}).status(), 0);
  EXPECT_THAT(servers(), IsEmpty());
}

// In a separate user namespace that does not allow inotify instances.
TEST_F(LocalServers, AServerThatCannotWatchForProcessesWarnsAndServes) {
  const std::string none = "echo 0 > /proc/sys/user/max_inotify_instances";
  if (std::system(("unshare -Ur sh -c '" + none + "' 2> /dev/null").c_str()) != 0)
    GTEST_SKIP() << "no user namespaces here";
  auto server =
      start({"serve", tiny(), "--node", "n1"}, {"unshare", "-Ur", "sh", "-c", none + "; exec \"$@\"", "sh"});
  EXPECT_TRUE(server.says("serving node n1"));
  EXPECT_TRUE(server.says("between two pulls may be missed"));
  EXPECT_THAT(server.err(), HasSubstr("warning: cannot watch directory "));
  EXPECT_THAT(server.err(), HasSubstr("raise fs.inotify.max_user_instances, which is "));
  server.signal(SIGINT);
  EXPECT_EQ(server.status(), 0);
}

// `up` finds the registered server, and is checking it when it has a second thread, with which it makes
// connections. The server does not answer, like one that is about to end.
TEST_F(LocalServers, AServerThatEndsWhileUpProbesItIsRestarted) {
  const auto pathmap = tiny();
  start_servers_of(pathmap);
  const int dying = processes_with("n1").at(0);
  ::kill(dying, SIGSTOP);
  auto up = start({"up", pathmap});
  const std::filesystem::path threads = fmt::format("/proc/{}/task", up.pid());
  ASSERT_TRUE(eventually([&] {
    std::error_code gone;
    return std::distance(std::filesystem::directory_iterator(threads, gone), {}) > 1;
  }));
  ::kill(dying, SIGKILL);
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started (pid "));
  EXPECT_THAT(up.out(), HasSubstr("n2: running already"));
  EXPECT_THAT(servers(), SizeIs(2));
}

// The server of n2 answers, and ends when n1 has been started.
TEST_F(LocalServers, AServerOnAnotherMachineThatEndsDuringUpIsRestarted) {
  const std::string killing = fmt::format(
      "sh, -c, 'p=$(cat {}); kill -9 $p; while grep -q State:.[RSD] /proc/$p/status; do sleep 0.01; "
      "done; \"$@\"', sh",
      held_up().string());
  const auto pathmap =
      far(killing, "n2: {host: 127.0.0.1, port: " + std::to_string(free_port()) + ", launch: [env, FAR=1]}");
  ASSERT_EQ(call({"up", pathmap, "--node", "n2"}).status(), 0);
  std::ofstream(held_up()) << servers().at(0);
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n2: started (pid "));
  EXPECT_THAT(servers(), SizeIs(2));
}

// Nodes n1 and n2 without ports, and processes p0 and p1 of tiny_app.
class ServersWithoutPorts : public LocalServers {
 protected:
  [[nodiscard]] std::filesystem::path without_ports() const {
    std::string text = testing_commands::read_text(tiny());
    for (const char* name : {"n1: ", "n2: "}) {
      const std::size_t at = text.find("    " + std::string(name));
      text.replace(at, text.find('\n', at) - at, "    " + std::string(name) + "{}");
    }
    return write("without.yaml", text);
  }
};

TEST_F(ServersWithoutPorts, AreStartedFoundAndStopped) {
  const auto pathmap = without_ports();
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.err();
  EXPECT_THAT(up.out(), HasSubstr("local://node/n1)"));
  EXPECT_THAT(call({"up", pathmap}).out(), HasSubstr("n2: running already"));
  EXPECT_THAT(servers(), SizeIs(2));
  EXPECT_THAT(call({"down", pathmap}).out(), HasSubstr("n1: stopped"));
  EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(ServersWithoutPorts, OfTwoSessionsOfOnePathmapDoNotClash) {
  const auto pathmap = without_ports();
  start_servers_of(pathmap);
  auto other = call({"up", pathmap, "--session", "other"});
  EXPECT_EQ(other.status(), 0) << other.out() << other.err();
  EXPECT_THAT(servers(), SizeIs(4));
}

TEST_F(ServersWithoutPorts, ASecondServerOfANodeIsRefusedAndTheFirstIsNamed) {
  const auto pathmap = without_ports();
  start_servers_of(pathmap);
  auto second = call({"serve", pathmap, "--node", "n1"});
  EXPECT_EQ(second.status(), 3);
  EXPECT_THAT(second.err(),
              HasSubstr("node n1 of session tiny is served already on this machine, by process " +
                        std::to_string(processes_with("n1").at(0))));
  EXPECT_EQ(call({"up", pathmap}).status(), 0);  // the first one still answers
}

TEST_F(ServersWithoutPorts, AreRestartedAfterTheyWereKilled) {
  const auto pathmap = without_ports();
  start_servers_of(pathmap);
  for (const int server : servers()) ::kill(server, SIGKILL);
  ASSERT_TRUE(eventually([&] { return servers().empty(); }));
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started (pid "));
}

// The launcher starts it with another runtime directory, as on another machine.
TEST_F(ServersWithoutPorts, OnAnotherMachineAreUnreachableAndUpShowsTheReason) {
  const auto pathmap =
      write("away.yaml", fmt::format("pathmap: 1\nname: away\n"
                                     "cluster: {{nodes: {{n1: {{host: elsewhere, launch: [env, "
                                     "XDG_RUNTIME_DIR={}]}}}}}}\n"
                                     "application: {{threads: [a]}}\n"
                                     "placement: {{processes: {{p0: {{node: n1, threads: a}}}}}}\n",
                                     file("shm").string()));
  auto up = call({"up", pathmap, "--timeout", "2s"});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(),
              HasSubstr("without a `port`, node n1 can be reached only from its own machine, elsewhere"));
  EXPECT_THAT(servers(), IsEmpty());
}

// As another user could do: it listens at the port, and answers like a server of this session.
TEST_F(LocalServers, OneAtOurPortThatOnlySaysThatItIsOursIsNotRunningAlready) {
  const auto pathmap = tiny();
  std::ofstream(pathmap, std::ios::app) << "security: none\n";  // with keys it could not answer
  auto impostor =
      start({"serve", pathmap, "--node", "n1"}, {"env", "XDG_RUNTIME_DIR=" + file("shm").string()});
  ASSERT_TRUE(impostor.says("serving node n1"));
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("is taken by a server of session 'tiny' that belongs to another user"));
  EXPECT_THAT(up.out(), testing::Not(HasSubstr("running already")));
}

TEST_F(LocalServers, OneOfAnotherVersionIsNamed) {
  const auto port = static_cast<std::uint16_t>(free_port());
  test::RawServer other(port);
  const std::jthread answering([&other](const std::stop_token& over) {
    while (!over.stop_requested()) {
      test::RawServer::wait_for_any({&other});
      if (other.hear()) other.answer_in_version(7);
    }
  });
  const auto pathmap = tiny(port);
  std::ofstream(pathmap, std::ios::app) << "security: none\n";  // with keys it would not be admitted
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr(fmt::format("port {} is taken: the server at ", port)));
  EXPECT_THAT(up.out(), HasSubstr("speaks version 7 of the protocol, this program version 16"));
}

TEST_F(LocalServers, AServerInTheForegroundPrintsWhenItIsReadyAndEndsWithCtrlC) {
  const auto pathmap = tiny();
  auto serve = start({"serve", pathmap, "--node", "n1"});
  EXPECT_TRUE(serve.says("serving node n1 of session tiny at tcp://127.0.0.1:"));
  auto up = call({"up", pathmap, "--node", "n1"});
  EXPECT_EQ(up.status(), 0) << up.out();
  EXPECT_THAT(up.out(), HasSubstr(fmt::format("n1: running already (pid {}", serve.pid())));
  serve.signal(SIGINT);
  EXPECT_EQ(serve.status(), 0);
}

TEST_F(LocalServers, UnknownNodesAreNamedWithTheKnownOnes) {
  auto serve = call({"serve", tiny(), "--node", "n9"});
  EXPECT_EQ(serve.status(), 2);
  EXPECT_THAT(serve.err(), HasSubstr("no node 'n9'; it has n1, n2"));
}

// `env` stands for ssh: it starts the command in its arguments.
TEST_F(LocalServers, NodesWithALauncherAreStartedThroughIt) {
  const auto pathmap = far("env, FAR=1");
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started"));
  EXPECT_THAT(servers(), SizeIs(1));
  EXPECT_THAT(call({"up", pathmap}).out(), HasSubstr("n1: running already"));
  EXPECT_THAT(call({"down", pathmap}).out(), HasSubstr("n1: stopped"));
  EXPECT_THAT(call({"down", pathmap}).out(), HasSubstr("n1: not running"));
  EXPECT_THAT(servers(), IsEmpty());
}

// Otherwise a following `down` would find the node locked by the `up` that still runs on it.
TEST_F(LocalServers, UpEndsAfterTheLaunchers) {
  const auto ended = file("ended");
  const auto pathmap = far("sh, -c, '\"$@\"; sleep 0.3; touch " + ended.string() + "', sh");
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_TRUE(std::filesystem::exists(ended));
}

TEST_F(LocalServers, LaunchersMayKeepRunningWhenTheServersAnswer) {
  const auto pathmap = far("sh, -c, '\"$@\"; sleep 1000', sh");
  auto up = call({"up", pathmap, "--timeout", "5s"});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started"));
  EXPECT_THAT(servers(), SizeIs(1));
}

// The server does not answer at first. The launcher then continues it, and the `up` that it starts finds it.
TEST_F(LocalServers, AServerThatIsSlowToAnswerIsRunningAlready) {
  const auto pathmap = far(going_on());
  EXPECT_EQ(call({"up", pathmap}).status(), 0);
  const int server = servers().at(0);
  hold_up(server);
  EXPECT_THAT(call({"up", pathmap}).out(), HasSubstr(fmt::format("n1: running already (pid {}", server)));
}

TEST_F(LocalServers, AServerThatIsSlowToAnswerKeepsRunningWhenAnotherFails) {
  const auto pathmap =
      far(going_on(), "n2: {host: 127.0.0.1, port: " + std::to_string(free_port()) +
                          ", launch: [sh, -c, 'test ! -f " + held_up().string() + " && \"$@\"', sh]}");
  EXPECT_EQ(call({"up", pathmap}).status(), 0);
  EXPECT_EQ(call({"down", pathmap, "--node", "n2"}).status(), 0);
  const auto first = servers();
  ASSERT_THAT(first, SizeIs(1));
  hold_up(first[0]);
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("n1: running already"));
  EXPECT_THAT(up.out(), HasSubstr("n2: failed"));
  EXPECT_EQ(servers(), first);
}

// Like ssh to a silent host.
TEST_F(LocalServers, ALauncherThatHangsIsKilled) {
  ServerFleet fleet = make_fleet(far("sh, -c, sleep 1000"), "", "");
  fleet.launch_grace = fleet.stop_patience = 200ms;
  const auto up = start_servers(fleet, 200ms, [] { return false; });
  ASSERT_THAT(up, SizeIs(1));
  EXPECT_EQ(up[0].state, ServerState::failed);
  EXPECT_THAT(up[0].detail, HasSubstr("within 0.2s"));
  const auto down = stop_servers(fleet, 200ms);
  ASSERT_THAT(down, SizeIs(1));
  EXPECT_EQ(down[0].state, ServerState::failed);
  EXPECT_THAT(down[0].detail, HasSubstr("sh was killed by SIGKILL"));
  EXPECT_TRUE(testing_commands::eventually([this] { return processes_with("sleep").empty(); }));
}

}  // namespace
}  // namespace eventspace
