#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>

#include "tests/monitors/workplace.h"

// A session without a pathmap, and a portless one with a pathmap, watched from elsewhere with a token.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;

/// A session, and an observer: a process with a token that has access to neither the session's segments nor
/// its sockets.
class ShareSession : public testing_commands::Workplace {
 protected:
  void SetUp() override {
    ::unsetenv("EVENTSPACE_SESSION");
    ::setenv("EVENTSPACE_NODE", "desk", 1);
    token_ = file("token");
    std::filesystem::create_directory(file("colleague"));
    ::chmod(file("colleague").c_str(), 0700);
  }
  void TearDown() override { ::unsetenv("EVENTSPACE_NODE"); }

  Call application() {
    Call app = start({"run", "--session", "solver", "--", DYNAMIC_APP});
    EXPECT_TRUE(app.says("ready")) << app.err();
    return app;
  }
  void share(const std::string& named) {
    Call made = call({"share", named, "--host", "127.0.0.1", "-o", token_});
    ASSERT_EQ(made.status(), 0) << made.err();
  }
  Call begin_by_colleague(const std::vector<std::string>& arguments) {
    return start(arguments, {"env", "-u", "EVENTSPACE_NODE", "XDG_RUNTIME_DIR=" + file("colleague").string(),
                             "EVENTSPACE_SHM_DIR=" + file("colleague").string()});
  }
  Call by_colleague(const std::vector<std::string>& arguments) {
    Call made = begin_by_colleague(arguments);
    made.status();
    return made;
  }

  std::filesystem::path token_;
};

TEST_F(ShareSession, EveryMonitorElsewhereTakesTheNameAndTheToken) {
  Call app = application();
  share("solver");
  Call heartbeat = by_colleague({"heartbeat", "solver", "--once", "--stall", "1min", "--list", "all",
                                 "--timeout", "10s", "--token", token_});
  EXPECT_EQ(heartbeat.status(), 0) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), AllOf(HasSubstr("2 threads: 2 running"), HasSubstr("in region rest since")));
  Call events = by_colleague({"events", "solver", "--count", "3", "--token", token_});
  EXPECT_THAT(events.out(), HasSubstr("/main tick")) << events.err();
  Call values =
      by_colleague({"values", "solver", "--scope", "values-by-node", "--count", "1", "--token", token_});
  EXPECT_THAT(values.out(), HasSubstr("desk")) << values.err();
  Call top = by_colleague({"top", "solver", "--once", "--stall", "1min", "--token", token_});
  EXPECT_THAT(top.out(), HasSubstr("in region rest")) << top.err();
  EXPECT_EQ(call({"unshare", "solver"}).status(), 0);
}

TEST_F(ShareSession, WithoutTheTokenTheSessionIsNotFound) {
  Call app = application();
  share("solver");
  Call heartbeat = by_colleague({"heartbeat", "solver", "--once"});
  EXPECT_EQ(heartbeat.status(), 3);
  EXPECT_THAT(heartbeat.err(), HasSubstr("no process of a session 'solver' on this machine"));
  EXPECT_EQ(call({"unshare", "solver"}).status(), 0);
}

TEST_F(ShareSession, ATokenForAnotherSessionIsNamed) {
  Call app = application();
  share("solver");
  Call heartbeat = by_colleague({"heartbeat", "other", "--once", "--token", token_});
  EXPECT_THAT(heartbeat.err(),
              HasSubstr("is a token for session 'solver', but this monitor watches 'other'"));
  EXPECT_EQ(call({"unshare", "solver"}).status(), 0);
}

TEST_F(ShareSession, AnObserverElsewhereCannotSwitchWhatIsRecorded) {
  Call app = application();
  share("solver");
  ::setenv("EVENTSPACE_KEYS", token_.c_str(), 1);
  Call switched = by_colleague({"switch", "solver", "off"});
  ::unsetenv("EVENTSPACE_KEYS");
  EXPECT_NE(switched.status(), 0);
  EXPECT_THAT(switched.err() + switched.out(), HasSubstr("an observer may only pull through scopes"));
  EXPECT_EQ(call({"unshare", "solver"}).status(), 0);
}

TEST_F(ShareSession, ARequestOfAnObserverCountsAndSteersNoProcess) {
  Call app = application();
  share("solver");
  const auto when = [&](const std::string& action) {
    return begin_by_colleague({"trigger", "solver", "kind == 'probe'", "--do", action, "--count", "1",
                               "--timeout", "10s", "--token", token_, "--quiet"});
  };
  Call counted = when("count");
  EXPECT_EQ(counted.status(), 0) << counted.err();
  EXPECT_THAT(counted.out(), HasSubstr("  count  "));
  for (const char* const action : {"stop", "continue", "collect off", "collect off solver*"}) {
    Call steering = when(action);
    EXPECT_TRUE(steering.says("refuses: an observer may only pull through scopes")) << action << '\n'
                                                                                    << steering.err();
    steering.signal(SIGINT);
    EXPECT_NE(steering.status(), 0) << action;
  }
  EXPECT_THAT(call({"switch", "solver", "--format", "csv"}).out(), Not(HasSubstr(",off,")));
  Call heartbeat = call({"heartbeat", "solver", "--once", "--stall", "10min", "--list", "all"});
  EXPECT_THAT(heartbeat.out(), HasSubstr("2 threads: 2 running")) << heartbeat.err();
  EXPECT_EQ(call({"unshare", "solver"}).status(), 0);
}

TEST_F(ShareSession, ElementsAreListedOnlyOnTheMachineOfTheSession) {
  Call app = application();
  share("solver");
  Call elements = by_colleague({"elements", "solver", "--token", token_});
  EXPECT_EQ(elements.status(), 3);
  EXPECT_THAT(elements.err(), HasSubstr("run `eventspace elements solver` on the machine of the session"));
  EXPECT_EQ(call({"unshare", "solver"}).status(), 0);
}

TEST_F(ShareSession, UnshareWorksEvenIfNoProcessOfTheSessionIsLeft) {
  {
    Call app = application();
    share("solver");
    app.signal(SIGTERM);
    EXPECT_EQ(app.status(), 0);
  }
  Call closed = call({"unshare", "solver"});
  EXPECT_EQ(closed.status(), 0) << closed.err();
  EXPECT_THAT(closed.out(), HasSubstr("is closed to observers"));
  EXPECT_THAT(processes_with("share"), testing::IsEmpty());
}

TEST_F(ShareSession, ANameWithoutASessionIsNotShared) {
  Call made = call({"share", "nothing", "--host", "127.0.0.1", "-o", token_});
  EXPECT_EQ(made.status(), 3);
  EXPECT_THAT(made.err(), HasSubstr("no process of a session 'nothing' on this machine"));
  EXPECT_FALSE(std::filesystem::exists(token_));
}

TEST_F(ShareSession, APathmapWithoutPortsIsWatchedFromElsewhereToo) {
  const std::filesystem::path pathmap = tiny(0, 0, testing_commands::monitors_scopes);
  start_servers_of(pathmap);
  share(pathmap);
  Call app = start_application_of(pathmap, {TINY_APP});
  Call heartbeat = by_colleague({"heartbeat", pathmap, "--once", "--timeout", "10s", "--token", token_});
  EXPECT_THAT(heartbeat.out(), AllOf(HasSubstr("2 threads: 2 running"), Not(HasSubstr("missing"))))
      << heartbeat.err();
  EXPECT_EQ(call({"down", pathmap}).status(), 0);
}

}  // namespace
}  // namespace eventspace
