#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "collectors/probe_record.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "tests/error_text.h"
#include "tests/pathmaps/sessions/open_session_talk.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"
#include "tests/tuplespace/tied_process.h"

// Sessions without a pathmap, whose processes name themselves and their threads.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class OpenSessionTest : public testing::Test {
 protected:
  OpenSessionTest() { ::setenv("EVENTSPACE_NODE", "desk", 1); }
  ~OpenSessionTest() override { ::unsetenv("EVENTSPACE_NODE"); }

  /// The result of a pull through a scope of the session, such as "desk p main: tick 1": node, process,
  /// thread, probe and its first value.
  std::vector<std::string> pull(Consumer& consumer, EventScope& scope) {
    consumer.look();
    view = scope.pull({.deadline = Deadline::after(5s), .with_threads = true, .at = {}});
    std::vector<std::string> seen;
    for (const Missing& missing : view.missing)
      seen.push_back("missing " + missing.what + " " + missing.detail);
    for_each_event(view.records, [&](std::span<const TraceTuple> records) {
      seen.push_back(describe(consumer.names(), records));
    });
    return seen;
  }
  [[nodiscard]] std::string describe(const PlanNames& names, std::span<const TraceTuple> records) const {
    const RecordHeader header = header_of(records.back());
    const ObservedEvent event{records.back(), nullptr, records.first(records.size() - 1)};
    const std::uint32_t process = process_of_local_id(header.path);
    std::string text(names.node_of_process(process));
    text += " ";
    text += names.thread_name(header.thread);
    text += ": ";
    text += FieldReader("probe").text(event, names).value_or("?");
    if (const auto value = FieldReader("value1").number(event))
      text += " " + std::to_string(static_cast<int>(*value));
    return event.in_flight() ? text + " in flight" : text;
  }

  test::SegmentDirectory directory;
  View view;
};

TEST_F(OpenSessionTest, AMonitorReadsTheProbesOfNamedThreadsDirectly) {
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  EXPECT_THAT(pull(consumer, events), IsEmpty());
  Session session = test::open_session("p");
  session.thread("main");
  EVENTSPACE_PROBE("tick", 1);
  EVENTSPACE_PROBE("tick", 2);
  EXPECT_THAT(pull(consumer, events), ElementsAre("desk p/main: tick 1", "desk p/main: tick 2"));
  EXPECT_THAT(pull(consumer, events), IsEmpty());
  EXPECT_THAT(view.names, IsEmpty());  // each name comes once
  ASSERT_EQ(view.processes.size(), 1u);
  EXPECT_EQ(view.processes[0].pid, ::getpid());
  ASSERT_EQ(view.processes[0].threads.size(), 1u);
  EXPECT_EQ(consumer.names().thread_name(view.processes[0].threads[0].thread), "p/main");
  EXPECT_EQ(view.processes[0].threads[0].tid, ::gettid());
}

TEST_F(OpenSessionTest, TwoProcessesNeverCollide) {
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  Session first = test::open_session("p");
  first.thread("main");
  EVENTSPACE_PROBE("tick", 1);
  Session second = test::open_session("q");
  second.thread("main");
  EVENTSPACE_PROBE("tick", 2);
  EXPECT_THAT(pull(consumer, events), UnorderedElementsAre("desk p/main: tick 1", "desk q/main: tick 2"));
  const RecordHeader a = header_of(view.records[0]);
  const RecordHeader b = header_of(view.records[1]);
  EXPECT_NE(a.thread, b.thread);
  EXPECT_NE(a.path, b.path);
  ASSERT_EQ(view.processes.size(), 2u);
  EXPECT_NE(view.processes[0].process, view.processes[1].process);
}

TEST_F(OpenSessionTest, SessionsOfOtherNamesAreSeparate) {
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  Session other = test::open_session("p", "other");
  other.thread("main");
  EVENTSPACE_PROBE("tick", 1);
  EXPECT_THAT(pull(consumer, events), IsEmpty());
}

TEST_F(OpenSessionTest, AThreadWithoutANameIsCalledByItsId) {
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  Session session = test::open_session("p");
  pid_t tid = 0;
  std::thread([&] {
    tid = ::gettid();
    EVENTSPACE_PROBE("tick", 3);
  }).join();
  EXPECT_THAT(pull(consumer, events), ElementsAre("desk p:" + std::to_string(tid) + ": tick 3"));
}

TEST_F(OpenSessionTest, ARegionIsInFlightForAHeartbeat) {
  Consumer consumer(plan_of_session("solver"));
  EventScope heartbeat = consumer.open("heartbeat");
  Session session = test::open_session("p");
  session.thread("main");
  EVENTSPACE_REGION_BEGIN("solve");
  EXPECT_THAT(pull(consumer, heartbeat), ElementsAre("desk p/main: solve in flight"));
  EVENTSPACE_REGION_END("solve");
  EXPECT_THAT(pull(consumer, heartbeat), ElementsAre("desk p/main: solve"));
}

TEST_F(OpenSessionTest, WhatAProcessRecordedBeforeItsEndIsRead) {
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  {
    Session session = test::open_session("p");
    session.thread("main");
    EVENTSPACE_PROBE("tick", 1);
    EXPECT_THAT(pull(consumer, events), ElementsAre("desk p/main: tick 1"));
    EVENTSPACE_PROBE("tick", 2);
  }
  EXPECT_THAT(pull(consumer, events), ElementsAre("desk p/main: tick 2"));
  EXPECT_EQ(view.processes.size(), 1u);
  const std::uint32_t number = view.processes[0].process;
  EXPECT_THAT(pull(consumer, events), IsEmpty());
  EXPECT_THAT(view.processes, IsEmpty());  // and then it is forgotten
  EXPECT_THAT(view.positions, ElementsAre(ReadPosition::of_ended_process(number)));
  EXPECT_THAT(pull(consumer, events), IsEmpty());
  EXPECT_THAT(view.positions, IsEmpty());
}

TEST_F(OpenSessionTest, WhatTheLastThreadRecordedIsReadThoughTheProcessHasEnded) {
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  {
    Session session = test::open_session("p");
    session.thread("main");
    EVENTSPACE_PROBE("tick", 1);
    EXPECT_THAT(pull(consumer, events), ElementsAre("desk p/main: tick 1"));
    std::thread([&] {
      session.thread("last");
      EVENTSPACE_PROBE("tick", 2);
    }).join();
  }
  EXPECT_THAT(pull(consumer, events), ElementsAre("desk p/last: tick 2"));
}

TEST_F(OpenSessionTest, AllScopesOfAMonitorSeeANewThread) {
  Consumer consumer(plan_of_session("solver"));
  EventScope first = consumer.open("events");
  EventScope second = consumer.open("events");
  Session session = test::open_session("p");
  session.thread("main");
  EVENTSPACE_PROBE("tick", 1);
  EXPECT_EQ(pull(consumer, first).size(), 1u);
  EXPECT_EQ(pull(consumer, second).size(), 1u);
  std::thread([&] {
    session.thread("new");
    EVENTSPACE_PROBE("tick", 2);
  }).join();
  EXPECT_THAT(pull(consumer, first), ElementsAre("desk p/new: tick 2"));
  EXPECT_THAT(pull(consumer, second), ElementsAre("desk p/new: tick 2"));
}

TEST_F(OpenSessionTest, AThreadOfAnEarlierSessionIsNoneOfTheNext) {
  std::optional<Session> session(test::open_session("p"));
  session->thread("main");
  EVENTSPACE_PROBE("tick", 1);
  session.reset();
  session.emplace(test::open_session("p"));  // usually at the same address
  EVENTSPACE_PROBE("tick", 2);
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  EXPECT_THAT(pull(consumer, events), ElementsAre("desk p:" + std::to_string(::gettid()) + ": tick 2"));
}

TEST_F(OpenSessionTest, ASwitchThatIsOffIsSeenByMonitors) {
  Session session = test::open_session("p");
  session.thread("main");
  session.set_collecting(false);
  EVENTSPACE_PROBE("tick", 1);
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  EXPECT_THAT(pull(consumer, events), IsEmpty());
  ASSERT_EQ(view.processes.size(), 1u);
  EXPECT_FALSE(view.processes[0].collecting.is_complete());
}

TEST_F(OpenSessionTest, ASessionOfAnotherUserHasNothingToDoWithOneOfTheSameName) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  std::filesystem::permissions(directory.path(),
                               std::filesystem::perms::all | std::filesystem::perms::sticky_bit);
  constexpr uid_t other = 65534;
  const pid_t child = test::fork_tied();
  if (child == 0) {
    if (::setuid(other) != 0) ::_exit(1);
    const Session session = test::open_session("p");
    EVENTSPACE_PROBE("of the other", 1);
    ::kill(::getpid(), SIGKILL);  // leaves its segment
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  Session session = test::open_session("p");
  session.thread("main");
  EVENTSPACE_PROBE("mine", 2);
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  EXPECT_THAT(pull(consumer, events), ElementsAre("desk p/main: mine 2"));
}

TEST_F(OpenSessionTest, AKilledProcessStaysReadableUntilItsSegmentIsRemoved) {
  const pid_t child = test::fork_tied();
  if (child == 0) {
    const Session session = test::open_session("p");
    EVENTSPACE_PROBE("tick", 1);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  EventScope heartbeat = consumer.open("heartbeat");
  EXPECT_EQ(pull(consumer, events).size(), 1u);
  EXPECT_EQ(pull(consumer, heartbeat).size(), 1u);
  ASSERT_EQ(view.processes.size(), 1u);
  EXPECT_EQ(view.processes[0].state, RunState::dead);
  for (const auto& file : find_segments("solver")) std::filesystem::remove(file);
  EXPECT_THAT(pull(consumer, heartbeat), IsEmpty());
  EXPECT_THAT(view.processes, IsEmpty());
}

TEST_F(OpenSessionTest, ValuesAreMadeForEachThreadProcessAndNode) {
  Consumer consumer(plan_of_session("solver"));
  Session session = test::open_session("p");
  session.thread("main");
  EVENTSPACE_REGION_BEGIN("solve");
  EVENTSPACE_REGION_END("solve");
  const auto group_of = [&](const char* name) {
    EventScope scope = consumer.open(name);
    const View pulled = scope.pull({.deadline = Deadline::after(5s)});
    return pulled.aggregates.size() == 1 ? pulled.aggregates[0].group
                                         : std::to_string(pulled.aggregates.size());
  };
  EXPECT_EQ(group_of("values"), "p/main");
  EXPECT_EQ(group_of("values-by-process"), "p");
  EXPECT_EQ(group_of("values-by-node"), "desk");
}

TEST_F(OpenSessionTest, TheEnvironmentNamesTheSession) {
  ::setenv("EVENTSPACE_SESSION", "solver", 1);
  const Session session = Session::from_environment();
  ::unsetenv("EVENTSPACE_SESSION");
  EXPECT_EQ(session.name(), "solver");
  EXPECT_THAT(session.process(), HasSubstr(":" + std::to_string(::getpid())));
}

struct BadName {
  std::string name;
  std::string why;
};
class BadSessionNameTest : public OpenSessionTest, public testing::WithParamInterface<BadName> {};

TEST_P(BadSessionNameTest, IsRefusedWithAReason) {
  const std::string error =
      test::error_text<ConfigurationError>([&] { const Session session = Session::open(GetParam().name); });
  EXPECT_THAT(error, HasSubstr(GetParam().why));
  EXPECT_LT(error.size(), 300u);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}
INSTANTIATE_TEST_SUITE_P(All, BadSessionNameTest,
                         testing::Values(BadName{"", "it is empty"}, BadName{"../etc/passwd", "it has a '/'"},
                                         BadName{"a.yaml", "it ends like the file of a pathmap"},
                                         BadName{std::string(10'000, 'x'), "it has 10000 bytes; at most 63"},
                                         BadName{"a\nb", "control characters"},
                                         BadName{"\xff", "is not UTF-8"}));

TEST_F(OpenSessionTest, AThreadsNameIsChecked) {
  Session session = test::open_session("p");
  EXPECT_THROW(session.thread(""), ConfigurationError);
  EXPECT_THROW(session.thread("a\x1b[2J"), ConfigurationError);
  EXPECT_THROW(session.thread(std::string(256, 'x')), ConfigurationError);
  EXPECT_NO_THROW(session.thread(std::string(255, 'x')));
}

}  // namespace
}  // namespace eventspace
