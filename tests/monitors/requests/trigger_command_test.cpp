#include <gmock/gmock.h>
#include <signal.h>

#include <set>
#include <utility>

#include "monitors/requests/standing_request.h"
#include "tests/lines.h"
#include "tests/monitors/container.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/sessions/market.h"

// `trigger`: conditional requests on a running session of writers and readers.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::objects_in;

class TriggerCommand : public testing_commands::Market {
 protected:
  std::string list() { return call({"trigger", "--list", "--format", "csv"}).out(); }

  static constexpr const char* writes = "verb == 'write' and point == 'thread'";
};

TEST_F(TriggerCommand, CountsIntegratesAndPrintsTheEventsOfACondition) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  Call when =
      call({"trigger", pathmap, writes, "--if", "thread == 'w1'", "--do", "count", "--do", "integrate bytes",
            "--do", "print", "--count", "50", "--interval", "50ms", "--format", "json", "--quiet"});
  ASSERT_EQ(when.status(), 0) << when.err();
  std::size_t printed = 0;
  double bytes = 0;
  std::uint64_t matches = 0;
  for (const auto& line : objects_in(when.out())) {
    if (line.contains("event")) {
      ++printed;
      EXPECT_EQ(line["thread"], "w1");
      EXPECT_EQ(line["process"], "writers");
      EXPECT_THAT(line["event"].get<std::string>(), HasSubstr("write queue"));
    } else {
      matches = line["matches"].get<std::uint64_t>();
      if (!line["sum"].is_null()) bytes = line["sum"].get<double>();
    }
  }
  EXPECT_EQ(printed, 50U);
  EXPECT_EQ(matches, 50U);
  EXPECT_GT(bytes, 0.0);
}

TEST_F(TriggerCommand, SumsUpDurationsAndSaysEachNumberOfEventsOnce) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  Call when = call({"trigger", pathmap, writes, "--do", "count", "--do", "integrate duration", "--count", "5",
                    "--interval", "50ms", "--quiet"});
  ASSERT_EQ(when.status(), 0) << when.err();
  const auto lines = test::lines_of(when.out());
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), lines.size()) << when.out();
  ASSERT_GE(lines.size(), 2U);
  EXPECT_THAT(lines[lines.size() - 2], testing::EndsWith("count  5"));
  EXPECT_THAT(lines.back(), testing::ContainsRegex("integrate duration  [0-9.]+(ns|us|ms|s)$"));
}

TEST_F(TriggerCommand, IsListedDisabledEnabledAndDeletedWhileItStands) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  Call when = start({"trigger", pathmap, writes, "--name", "many-writes", "--interval", "50ms", "--quiet"});
  ASSERT_TRUE(eventually([&] {
    return list().find("many-writes,market,verb == 'write'") != std::string::npos;
  })) << when.err();
  Call again = call({"trigger", pathmap, writes, "--name", "many-writes"});
  EXPECT_EQ(again.status(), 2);
  EXPECT_THAT(again.err(), HasSubstr("the request 'many-writes' already exists"));

  const auto matches = [&] {
    for (const auto& each : StandingRequest::all())
      if (each.name == "many-writes") return each.matches;
    return std::uint64_t{0};
  };
  ASSERT_TRUE(eventually([&] { return matches() > 0; }));
  EXPECT_EQ(call({"trigger", "--disable", "many-writes"}).status(), 0);
  EXPECT_THAT(list(), HasSubstr(",false,"));
  // A look that has begun may still count.
  std::uint64_t last = 0;
  ASSERT_TRUE(eventually([&] { return std::exchange(last, matches()) == matches(); }));
  EXPECT_EQ(call({"trigger", "--enable", "many-writes"}).status(), 0);
  EXPECT_TRUE(eventually([&] { return matches() > last; }));
  EXPECT_EQ(call({"trigger", "--delete", "many-writes"}).status(), 0);
  EXPECT_EQ(when.status(), 0);
  EXPECT_THAT(when.err(), HasSubstr("the request was deleted"));
  EXPECT_THAT(list(), Not(HasSubstr("many-writes")));
  Call gone = call({"trigger", "--delete", "many-writes"});
  EXPECT_EQ(gone.status(), 2);
  EXPECT_THAT(gone.err(), HasSubstr("there is no request 'many-writes'"));
}

TEST_F(TriggerCommand, StopsAndContinuesTheProcessOfAnEvent) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  EXPECT_EQ(call({"trigger", pathmap, writes, "--do", "stop", "--count", "1", "--quiet"}).status(), 0);
  Call heartbeat = call({"heartbeat", pathmap, "--once", "--format", "csv"});
  EXPECT_THAT(heartbeat.out(), HasSubstr("stopped")) << heartbeat.err();
  // A stopped process makes no new events: readers take the remaining tuples in the queue, or wait.
  for (const int pid : processes_with(QUEUE_APP)) ::kill(pid, SIGCONT);
}

TEST_F(TriggerCommand, SwitchesCollectingOffAndRunsACommand) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const std::string out = file("out").string();
  Call when = call({"trigger", pathmap, writes, "--do", "collect off", "--do",
                    "run echo $EVENTSPACE_REQUEST $EVENTSPACE_PROCESS >> " + out, "--name", "full", "--count",
                    "1", "--quiet"});
  EXPECT_EQ(when.status(), 0) << when.err();
  EXPECT_EQ(testing_commands::read_text(out), "full writers\n");
  EXPECT_THAT(call({"switch", pathmap, "--process", "writers", "--format", "csv"}).out(), HasSubstr(",off,"));
  EXPECT_THAT(call({"switch", pathmap, "--process", "readers", "--format", "csv"}).out(), HasSubstr(",on,"));
}

TEST_F(TriggerCommand, CountLimitsTheEventsAndCommandsOfAllNodesTogether) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const std::string out = file("out").string();
  Call when =
      call({"trigger", pathmap, "point == 'thread'", "--do", "print", "--do",
            "run echo $EVENTSPACE_PROCESS >> " + out, "--count", "1", "--interval", "500ms", "--quiet"});
  EXPECT_EQ(when.status(), 0) << when.err();
  EXPECT_THAT(test::lines_of(when.out()), testing::SizeIs(1));
  EXPECT_THAT(test::lines_of(testing_commands::read_text(out)), testing::SizeIs(1));
}

TEST_F(TriggerCommand, SwitchesProcessesOfOtherNodesThanThatOfTheEvent) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  Call when = call({"trigger", pathmap, writes, "--do", "collect off readers", "--count", "1", "--quiet"});
  EXPECT_EQ(when.status(), 0) << when.err();
  EXPECT_THAT(call({"switch", pathmap, "--process", "readers", "--format", "csv"}).out(), HasSubstr(",off,"));
  EXPECT_THAT(call({"switch", pathmap, "--process", "writers", "--format", "csv"}).out(), HasSubstr(",on,"));
}

TEST_F(TriggerCommand, SaysWhatIsMissingOrWrong) {
  const auto pathmap = market();
  EXPECT_THAT(call({"trigger", pathmap}).err(), HasSubstr("expected a pathmap or session, and an event"));
  Call action = call({"trigger", pathmap, writes, "--do", "prnt"});
  EXPECT_EQ(action.status(), 2);
  EXPECT_THAT(action.err(), HasSubstr("unknown action 'prnt'; did you mean 'print'?"));
  EXPECT_THAT(call({"trigger", pathmap, "verb == 'wirte'"}).err(), HasSubstr("did you mean 'write'?"));
  EXPECT_THAT(call({"trigger", pathmap, writes, "--name", "a/b"}).err(),
              HasSubstr("--name 'a/b': expected up to"));
}

TEST_F(TriggerCommand, CountsInARecordingAndSteersNothing) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  ASSERT_EQ(call({"record", pathmap, "-o", file("run.evs"), "--for", "300ms"}).status(), 0);
  Call when = call({"trigger", file("run.evs"), writes, "--quiet"});
  EXPECT_EQ(when.status(), 0) << when.err();
  EXPECT_THAT(when.out(), HasSubstr("  count  "));
  Call stop = call({"trigger", file("run.evs"), writes, "--do", "stop"});
  EXPECT_EQ(stop.status(), 2);
  EXPECT_THAT(stop.err(), HasSubstr("--do 'stop': a recording has no processes to act on"));
}

TEST_F(TriggerCommand, FilesOfAKilledRequestAreRemoved) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  {
    Call when = start({"trigger", pathmap, writes, "--name", "killed", "--interval", "50ms"});
    ASSERT_TRUE(eventually([&] { return list().find("killed,market") != std::string::npos; })) << when.err();
    when.signal(SIGKILL);
    when.status();
  }
  EXPECT_THAT(list(), Not(HasSubstr("killed")));
  EXPECT_EQ(call({"trigger", pathmap, writes, "--name", "killed", "--count", "1", "--quiet"}).status(), 0);
}

// The ids in the request's file are invalid here; its lock shows that it is active.
TEST_F(TriggerCommand, ARequestInAContainerIsListedAndItsNameTakenUntilItIsKilled) {
  if (!testing_commands::has_containers()) GTEST_SKIP() << "no namespaces for this user";
  const auto pathmap = market();
  Call application = start_market(pathmap);
  {
    Call when = start({"trigger", pathmap, writes, "--name", "inside", "--interval", "50ms", "--quiet"},
                      testing_commands::in_a_container());
    ASSERT_TRUE(eventually([&] { return list().find("inside,market") != std::string::npos; })) << when.err();
    Call again = call({"trigger", pathmap, writes, "--name", "inside", "--count", "1"});
    EXPECT_EQ(again.status(), 2);
    EXPECT_THAT(again.err(), HasSubstr("the request 'inside' already exists"));
    EXPECT_THAT(list(), HasSubstr("inside,market")) << "looking for it has not removed it";
    when.signal(SIGKILL);
    when.status();
  }
  EXPECT_TRUE(eventually([&] { return list().find("inside") == std::string::npos; }));
  EXPECT_EQ(call({"trigger", pathmap, writes, "--name", "inside", "--count", "1", "--quiet"}).status(), 0);
}

TEST_F(TriggerCommand, FromInsideAContainerARequestOutsideIsDisabledAndDeleted) {
  if (!testing_commands::has_containers()) GTEST_SKIP() << "no namespaces for this user";
  const auto pathmap = market();
  Call application = start_market(pathmap);
  Call when = start({"trigger", pathmap, writes, "--name", "outside", "--interval", "50ms", "--quiet"});
  ASSERT_TRUE(eventually([&] { return list().find("outside,market") != std::string::npos; })) << when.err();
  const auto inside = [&](const std::string& option) {
    return start({"trigger", option, "outside"}, testing_commands::in_a_container()).status();
  };
  EXPECT_EQ(inside("--disable"), 0);
  EXPECT_THAT(list(), HasSubstr(",false,"));
  EXPECT_EQ(inside("--delete"), 0);
  EXPECT_EQ(when.status(), 0);
  EXPECT_THAT(when.err(), HasSubstr("the request was deleted"));
}

}  // namespace
}  // namespace eventspace
