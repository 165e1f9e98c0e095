#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "monitors/probing/stacks/thread_stack.h"
#include "tests/monitors/container.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

// Commands on a session without a pathmap.

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_commands::Call;
using testing_commands::eventually;

class DynamicRunTest : public testing_commands::Workplace {
 protected:
  DynamicRunTest() {
    ::unsetenv("EVENTSPACE_SESSION");
    ::setenv("EVENTSPACE_NODE", "desk", 1);
  }
  ~DynamicRunTest() override { ::unsetenv("EVENTSPACE_NODE"); }

  Call run(const std::vector<std::string>& options, const std::vector<std::string>& command) {
    std::vector<std::string> arguments{"run"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return start(arguments);
  }
  Call dynamic_app(const std::vector<std::string>& options = {"--session", "s1"}) {
    Call app = run(options, {DYNAMIC_APP});
    if (!app.says("ready")) ADD_FAILURE() << app.err();
    return app;
  }
};

TEST_F(DynamicRunTest, TheCommandIsStartedUnchanged) {
  auto call =
      run({"--session", "s1"}, {"sh", "-c", R"(echo "$EVENTSPACE_SESSION $0 $1"; exit 7)", "a b", "--help"});
  EXPECT_EQ(call.status(), 7);
  EXPECT_EQ(call.out(), "s1 a b --help\n");
  EXPECT_THAT(call.err(), IsEmpty());
}

TEST_F(DynamicRunTest, WithoutANameTheSessionIsCalledAfterTheProgram) {
  auto call = run({}, {"sh", "-c", "echo $EVENTSPACE_SESSION"});
  EXPECT_EQ(call.status(), 0);
  EXPECT_EQ(call.out(), "sh\n");
}

TEST_F(DynamicRunTest, ASecondSessionOfThatNameGetsAnotherName) {
  auto first = dynamic_app({});
  auto second = run({}, {DYNAMIC_APP, "name"});
  EXPECT_EQ(second.status(), 0) << second.err();
  EXPECT_THAT(second.out(), HasSubstr("dynamic_app-"));
  first.signal(SIGTERM);
  EXPECT_EQ(first.status(), 0);
}

TEST_F(DynamicRunTest, EveryMonitorTakesTheNameOfTheSession) {
  auto app = dynamic_app();
  auto events = call({"events", "s1", "--count", "3"});
  EXPECT_EQ(events.status(), 0) << events.err();
  EXPECT_THAT(events.out(), HasSubstr("/main tick"));
  auto heartbeat = call({"heartbeat", "s1", "--once", "--stall", "1min", "--list", "all"});
  EXPECT_EQ(heartbeat.status(), 0) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("2 threads: 2 running"));
  EXPECT_THAT(heartbeat.out(), HasSubstr("in region rest since"));
  auto values = call({"values", "s1", "--count", "1", "--format", "json"});
  EXPECT_EQ(values.status(), 0) << values.err();
  EXPECT_THAT(values.out(), HasSubstr("/main"));
  auto by_node = call({"values", "s1", "--scope", "values-by-node", "--count", "1"});
  EXPECT_THAT(by_node.out(), HasSubstr("desk"));
  auto top = call({"top", "s1", "--once", "--stall", "1min"});
  EXPECT_EQ(top.status(), 0) << top.err();
  EXPECT_THAT(top.out(), HasSubstr("in region rest"));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, QuestionsTakeTheNameOfTheSession) {
  auto app = dynamic_app();
  auto events = call({"events", "s1", "--threads", "**/main", "--last", "2"});
  EXPECT_EQ(events.status(), 0) << events.err();
  EXPECT_THAT(events.out(), HasSubstr("/main tick"));
  EXPECT_THAT(events.out(), testing::Not(HasSubstr("rest")));
  auto values = call({"values", "s1", "--where", "verb == 'point'", "--as", "count", "--of", "sequence",
                      "--by", "probe", "--count", "1"});
  EXPECT_EQ(values.status(), 0) << values.err();
  EXPECT_THAT(values.out(), HasSubstr("tick"));
  auto heartbeat = call({"heartbeat", "s1", "--once", "--threads", "**/main"});
  EXPECT_THAT(heartbeat.out(), HasSubstr("1 thread: 1 running"));
  auto nothing = call({"events", "s1", "--threads", "zz*"});
  EXPECT_EQ(nothing.status(), 2);
  EXPECT_THAT(nothing.err(), HasSubstr("--threads 'zz*' matches no thread of session s1; known: "));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, ItsProcessesAreSwitchedByTheNameOfTheSession) {
  auto app = dynamic_app();
  auto off = call({"switch", "s1", "off"});
  EXPECT_EQ(off.status(), 0) << off.err();
  auto shown = call({"switch", "s1"});
  EXPECT_THAT(shown.out(), HasSubstr("off"));
  auto heartbeat = call({"heartbeat", "s1", "--stall", "1ms", "--once", "--list", "all"});
  EXPECT_THAT(heartbeat.out(), HasSubstr("not collected"));
  EXPECT_EQ(call({"switch", "s1", "on", "--node", "desk"}).status(), 2);
  auto none = call({"switch", "s1", "on", "--process", "nothing"});
  EXPECT_EQ(none.status(), 3);
  EXPECT_EQ(call({"switch", "s1", "on"}).status(), 0);
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, CollectingThatTheProgramSwitchedOffStaysOffAndIsReported) {
  auto app = run({"--session", "s1"}, {DYNAMIC_APP, "off"});
  ASSERT_TRUE(app.says("ready")) << app.err();
  auto on = call({"switch", "s1", "on"});
  EXPECT_EQ(on.status(), 3);
  EXPECT_THAT(on.err(), HasSubstr("the program itself has switched collecting off"));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, AHeartbeatFindsARegionThatDoesNotEnd) {
  auto app = dynamic_app();
  auto heartbeat = call({"heartbeat", "s1", "--stall", "100ms", "--until-stall"});
  EXPECT_EQ(heartbeat.status(), 1) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("/sleeper: blocked outside operations"));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, AHeartbeatShowsInWhichFunctionAStalledThreadIs) {
  if (!can_unwind()) GTEST_SKIP() << "without elfutils";
  auto app = dynamic_app();
  auto heartbeat = call({"heartbeat", "s1", "--stall", "100ms", "--until-stall", "--stack"});
  EXPECT_EQ(heartbeat.status(), 1) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("/sleeper is in "));
  EXPECT_THAT(heartbeat.out(), HasSubstr("main::"));  // the function of the thread is a lambda of main
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, TheFirstProcessThatNeedsAServerStartsItAndOthersFindIt) {
  for (const char* const tuple : {"tuple 1", "tuple 2"}) {
    auto app = run({"--session", "s1"}, {DYNAMIC_APP, "queue"});
    EXPECT_EQ(app.status(), 0) << app.err();
    EXPECT_THAT(app.out(), HasSubstr(tuple));
  }
  EXPECT_EQ(processes_with("serve").size(), 1u);
}

TEST_F(DynamicRunTest, ManyProcessesThatNeedAServerAtOnceGetOne) {
  std::vector<Call> apps;
  for (int i = 0; i < 6; ++i) apps.push_back(run({"--session", "s1"}, {DYNAMIC_APP, "queue"}));
  for (Call& app : apps) EXPECT_EQ(app.status(), 0) << app.err();
  EXPECT_TRUE(eventually([this] { return processes_with("serve").size() == 1; }));
}

TEST_F(DynamicRunTest, AServerThatWasKilledIsReplacedAtTheNextOperation) {
  auto app = run({"--session", "s1"}, {DYNAMIC_APP, "queue-again"});
  ASSERT_TRUE(app.says("tuple 1")) << app.err();
  const auto servers = processes_with("serve");
  ASSERT_EQ(servers.size(), 1u);
  ASSERT_EQ(::kill(servers[0], SIGKILL), 0);  // its socket stays
  // The command line disappears before the files: the application must have noticed the end of its
  // connection.
  ASSERT_TRUE(eventually([&] { return !std::filesystem::exists(fmt::format("/proc/{}", servers[0])); }));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0) << app.err();
  EXPECT_THAT(app.out(), HasSubstr("later tuple 1"));  // a new element
  EXPECT_EQ(processes_with("serve").size(), 1u);
}

TEST_F(DynamicRunTest, AServerOfASessionUsesAllDescriptorsAndWarnsIfTheyAreTooFew) {
  auto server = start({"serve", "--session", "s1"}, {"sh", "-c", R"(ulimit -n 200; exec "$0" "$@")"});
  ASSERT_TRUE(server.says("serving session s1"));
  EXPECT_THAT(server.err(), HasSubstr("warning: this process may open 200 descriptors"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.status(), 0);
}

TEST_F(DynamicRunTest, AServerThatIsNotNeededEnds) {
  auto idle = call({"serve", "--session", "s1", "--idle", "1ms"});
  EXPECT_EQ(idle.status(), 0) << idle.err();
  EXPECT_THAT(idle.out(), HasSubstr("serving session s1 at ipc://"));
}

TEST_F(DynamicRunTest, ASecondServerOfASessionIsStatus3) {
  auto first = start({"serve", "--session", "s1"});
  ASSERT_TRUE(first.says("serving session s1"));
  auto second = call({"serve", "--session", "s1"});
  EXPECT_EQ(second.status(), 3);
  EXPECT_THAT(second.err(), HasSubstr("session s1 is served already on this machine, by process "));
  EXPECT_EQ(call({"serve", "--session", "s1", "--background"}).status(), 0);  // already served: fine
  first.signal(SIGTERM);
  EXPECT_EQ(first.status(), 0);
}

TEST_F(DynamicRunTest, LsListsSessionsAndTheirProcesses) {
  auto app = dynamic_app();
  auto all = call({"ls"});
  EXPECT_EQ(all.status(), 0);
  EXPECT_THAT(all.out(), HasSubstr("s1"));
  EXPECT_THAT(all.out(), HasSubstr("desk"));
  auto one = call({"ls", "s1", "--format", "json"});
  EXPECT_EQ(one.status(), 0);
  EXPECT_THAT(one.out(), HasSubstr("\"state\":\"alive\""));
  EXPECT_THAT(one.out(), HasSubstr("\"pid\":" + std::to_string(app.pid())));  // the command itself
  auto none = call({"ls", "s2"});
  EXPECT_EQ(none.status(), 3);
  EXPECT_THAT(none.err(), HasSubstr("no process and no server of a session 's2'"));
  app.signal(SIGKILL);
  (void)app.status();
  EXPECT_THAT(call({"ls", "s1"}).out(), HasSubstr("dead"));
}

TEST_F(DynamicRunTest, ANameWithoutASessionIsAnErrorWithAHint) {
  auto heartbeat = call({"heartbeat", "nothing"});
  EXPECT_EQ(heartbeat.status(), 3);
  EXPECT_THAT(heartbeat.err(), HasSubstr("no process of a session 'nothing' on this machine"));
  EXPECT_THAT(heartbeat.err(), HasSubstr("eventspace run --session nothing -- COMMAND"));
}

TEST_F(DynamicRunTest, ASessionWithAPathmapIsNamedByIt) {
  const auto pathmap = tiny();
  auto app = start_application_of(pathmap, {TINY_APP});
  auto heartbeat = call({"heartbeat", "tiny"});
  EXPECT_EQ(heartbeat.status(), 3);
  EXPECT_THAT(heartbeat.err(), HasSubstr("were started with a pathmap"));
  EXPECT_THAT(call({"ls"}).out(), HasSubstr(pathmap.string()));
  app.signal(SIGTERM);
  (void)app.status();
}

TEST_F(DynamicRunTest, AProgramOfThatNameIsNotAPathmap) {
  write("s1", "no pathmap\n");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(file("s1").parent_path());
  auto app = dynamic_app();
  auto events = call({"events", "s1", "--count", "1"});
  std::filesystem::current_path(here);
  EXPECT_EQ(events.status(), 0) << events.err();
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(DynamicRunTest, ASessionThatRunsWithAPathmapTakesNoCommandWithoutOne) {
  auto app = start_application_of(tiny(), {TINY_APP});
  auto second = run({"--session", "tiny"}, {"true"});
  EXPECT_EQ(second.status(), 3);
  EXPECT_THAT(second.err(), HasSubstr("runs with a pathmap"));
  app.signal(SIGTERM);
  (void)app.status();
}

TEST_F(DynamicRunTest, TwoNamesAreAnError) {
  auto heartbeat = call({"heartbeat", "s1", "--session", "s2"});
  EXPECT_EQ(heartbeat.status(), 2);
  EXPECT_THAT(heartbeat.err(), HasSubstr("found session 's1' and --session 's2'"));
}

TEST_F(DynamicRunTest, OptionsOfAPathmapNeedAPathmap) {
  auto call = run({"--server-up"}, {"true"});
  EXPECT_EQ(call.status(), 2);
  EXPECT_THAT(call.err(), HasSubstr("--server-up needs a pathmap"));
}

TEST_F(DynamicRunTest, WithoutArgumentsItListsThePossibilities) {
  auto nothing = call({"run"});
  EXPECT_EQ(nothing.status(), 2);
  EXPECT_THAT(nothing.err(), HasSubstr("`eventspace run -- CMD`"));
}

TEST_F(DynamicRunTest, ACommandThatDoesNotExistIsStatus3) {
  auto call = run({}, {"no-such-command"});
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("'no-such-command' not found"));
}

TEST_F(DynamicRunTest, ANameThatIsAPathIsRefused) {
  auto call = run({"--session", "../s1"}, {"true"});
  EXPECT_EQ(call.status(), 2);
  EXPECT_THAT(call.err(), HasSubstr("it has a '/'"));
}

// --- containers that share directories with this process ---------------------------------------------------

using testing_commands::in_a_container;

class ContainerTest : public DynamicRunTest {
 protected:
  ContainerTest() { ::setenv("EVENTSPACE_CLOCK", "monotonic", 1); }
  ~ContainerTest() override { ::unsetenv("EVENTSPACE_CLOCK"); }
  void SetUp() override {
    if (!testing_commands::has_containers())
      GTEST_SKIP() << "the system does not allow this user namespaces, or has no unshare(1)";
  }
  Call app_elsewhere() {
    Call app = start({"run", "--session", "s1", "--", DYNAMIC_APP}, in_a_container());
    if (!app.says("ready")) ADD_FAILURE() << app.err();
    return app;
  }
  Call call_elsewhere(const std::vector<std::string>& arguments) {
    Call call = start(arguments, in_a_container());
    call.status();
    return call;
  }
  /// The expectations for a process that lives in another namespace than the commands.
  void expect_alive(const std::function<Call(const std::vector<std::string>&)>& ask) {
    auto heartbeat = ask({"heartbeat", "s1", "--once", "--stall", "30min", "--format", "json"});
    EXPECT_EQ(heartbeat.status(), 0) << heartbeat.out() << heartbeat.err();
    EXPECT_THAT(heartbeat.out(), testing::Not(HasSubstr("dead")));
    for (const auto& line : testing_commands::objects_in(heartbeat.out())) {
      const auto silent = line.find("silent_s");
      if (silent == line.end() || !silent->is_number()) continue;
      EXPECT_LT(silent->get<double>(), 1800) << heartbeat.out();
    }
    EXPECT_THAT(ask({"ls", "s1"}).out(), HasSubstr("alive"));
    EXPECT_THAT(ask({"segments", "--remove"}).err(), HasSubstr("removed 0 files"));
    auto top = ask({"top", "s1", "--once", "--stall", "30min"});
    EXPECT_EQ(top.status(), 0) << top.err();
    EXPECT_THAT(top.out(), testing::Not(HasSubstr("dead")));
    EXPECT_EQ(ask({"events", "s1", "--count", "3"}).status(), 0);
  }
};

TEST_F(ContainerTest, FromOutsideAProcessInsideLivesAndItsEventsHaveTheirTimes) {
  auto app = app_elsewhere();
  expect_alive([this](const auto& arguments) { return call(arguments); });
  auto recorded = call({"record", "s1", "-o", file("r").string(), "--for", "1s"});
  EXPECT_EQ(recorded.status(), 0) << recorded.err();
  auto info = call({"info", file("r").string()});
  EXPECT_EQ(info.status(), 0) << info.err();
  EXPECT_THAT(info.out(), testing::Not(HasSubstr("dead")));
}

TEST_F(ContainerTest, FromInsideAProcessOutsideLivesAndItsEventsHaveTheirTimes) {
  auto app = dynamic_app();
  expect_alive([this](const auto& arguments) { return call_elsewhere(arguments); });
  auto stalled = call_elsewhere({"heartbeat", "s1", "--once", "--stall", "1ms", "--threads", "**/sleeper"});
  EXPECT_THAT(stalled.out(), HasSubstr("silent, state unknown"));
  app.signal(SIGTERM);
  EXPECT_EQ(app.status(), 0);
}

TEST_F(ContainerTest, FromAnotherContainerAProcessInsideLives) {
  auto app = app_elsewhere();
  expect_alive([this](const auto& arguments) { return call_elsewhere(arguments); });
}

}  // namespace
}  // namespace eventspace
