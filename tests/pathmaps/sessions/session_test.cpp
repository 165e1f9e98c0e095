#include <eventspace/session.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <optional>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/stage.h>
#include "collectors/event_record.h"
#include "pathmaps/hosting/path_end.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "paths/element_stage.h"
#include "tests/error_text.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/scopes/reading/process_talk.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/segment_directory.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/element.h"

// A whole session in one process: the processes p0 and p1 of an application, the servers of three nodes, and
// monitors. Thread a of p0 writes to element box, which is in p1 with its reader b. Element depot is on the
// server of node n2. Nodes n1 and n2 are in a cluster with the gateway g.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::number;
using test::told;
using testing::Contains;
using testing::HasSubstr;

struct Topology {
  const char* name;
  bool behind_gateway;
  bool with_ports;  // otherwise all connect through local sockets
};
void PrintTo(const Topology& topology, std::ostream* out) { *out << topology.name; }

std::string pathmap_text(const Topology& topology) {
  const auto node = [&](const std::string& more = "") {
    const auto port = topology.with_ports ? "port: " + std::to_string(test::free_port()) : std::string();
    return "{" + more + (more.empty() || port.empty() ? "" : ", ") + port;
  };
  std::string text = "pathmap: 1\nname: small\ncluster:\n  nodes:\n    g: " + node() +
                     "}\n    n1: " + node() + "}\n    n2: " + node() + "}\n";
  if (topology.behind_gateway) text += "  clusters:\n    c: {gateway: g, nodes: [n1, n2]}\n";
  return text +
         "application:\n  threads: [a, b]\n"
         "  elements:\n    - {name: box, tuple: [int], threshold: 4}\n    - {name: depot, tuple: [int], "
         "threshold: 4}\n"
         "  paths:\n"
         "    - {thread: a, name: send, element: box, use: write}\n"
         "    - {thread: b, name: receive, element: box, use: read}\n"
         "    - {thread: a, name: store, element: depot, use: write}\n"
         "    - {thread: b, name: fetch, element: depot, use: read}\n"
         "placement:\n  processes:\n"
         "    p0: " +
         node("node: n1") + ", threads: a}\n    p1: " + node("node: n2") +
         ", threads: b}\n"
         "  elements:\n    - {elements: box, with: reader}\n    - {elements: depot, node: n2}\n"
         "collect:\n  threshold: 100\n  points:\n    - {threads: [a, b], at: [thread, element]}\n"
         "scopes:\n"
         "  newest:\n    threads: [a, b]\n    at: [thread]\n    read: newest\n    timeout: 300ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n"
         "  events:\n    threads: [a, b]\n    at: [thread, element]\n    read: next\n    timeout: 300ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";
}

class SessionTest : public testing::TestWithParam<Topology> {
 protected:
  SessionTest() {
    ::setenv("XDG_RUNTIME_DIR", sockets.path().c_str(), 1);
    plan = test::shared_plan(parse_plan(pathmap_text(GetParam()), "session_test.yaml"));
    servers = test::started_servers(plan);
  }
  ~SessionTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  Session join(const std::string& process) const { return Session::join(plan, process, Session::Options{}); }

  /// Returns the paths of a view's records, such as "a/send a/store", and the missing parts.
  std::vector<std::string> pull(EventScope& scope) {
    view = scope.pull({.deadline = Deadline::after(2s), .with_threads = true});
    std::vector<std::string> told;
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      told.push_back(plan->threads[ThreadIndex(record.thread)].name + "/" +
                     plan->paths[PathIndex(record.path)].name);
    }
    for (const Missing& missing : view.missing) told.push_back("missing " + missing.what);
    return told;
  }

  test::SegmentDirectory directory;
  test::TemporaryDirectory sockets;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
  View view;
};
INSTANTIATE_TEST_SUITE_P(Topologies, SessionTest,
                         testing::Values(Topology{"Flat", false, true},
                                         Topology{"BehindAGateway", true, true},
                                         Topology{"FlatWithoutPorts", false, false},
                                         Topology{"BehindAGatewayWithoutPorts", true, false}),
                         [](const auto& given) { return given.param.name; });

const Deadline patient = Deadline::after(60s);

TEST_P(SessionTest, OneProcessReadsATupleThatTheOtherWrote) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  Path& send = p0.thread("a").path("send");
  Path& receive = p1.thread("b").path("receive");
  EXPECT_EQ(send.write(number(1), patient), Status::ok);
  EXPECT_EQ(told(receive.take(From::oldest, patient)), "1");
  EXPECT_EQ(told(receive.take(From::oldest, Deadline::now())), "empty");
}

TEST_P(SessionTest, AnElementOfANodeServerIsSharedByBoth) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  EXPECT_EQ(p0.thread("a").path("store").write(number(2), patient), Status::ok);
  EXPECT_EQ(told(p1.thread("b").path("fetch").take(From::oldest, patient)), "2");
}

TEST_P(SessionTest, AScopeYieldsWhatBothProcessesRecorded) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  ASSERT_EQ(p0.thread("a").path("send").write(number(1), patient), Status::ok);
  ASSERT_TRUE(p1.thread("b").path("receive").take(From::oldest, patient));
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  EXPECT_THAT(pull(scope), testing::UnorderedElementsAre("a/send", "b/receive"));
  ASSERT_EQ(view.processes.size(), 2u);
  EXPECT_EQ(view.processes[0].state, RunState::running);
}

TEST_P(SessionTest, RecordsOfARunThatEndedBeforeTheFirstPullAreRead) {
  {
    Session p0 = join("p0");
    ASSERT_EQ(p0.thread("a").path("store").write(number(1), patient), Status::ok);
    // Two segments, of p0 and of n2's server, each mapped by its writer and by the server that reads it.
    ASSERT_TRUE(eventually([&] { return test::mapped_files(directory.path()) == 4; }));
  }
  Consumer consumer(plan);
  EventScope scope = consumer.open("events");
  EXPECT_THAT(pull(scope), Contains("a/store"));
}

TEST_P(SessionTest, RecordsOfANodeServerAreRead) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  ASSERT_EQ(p0.thread("a").path("store").write(number(2), patient), Status::ok);
  Consumer consumer(plan);
  EventScope scope = consumer.open("events");
  // One record by the collector at the thread, one by the collector at the element.
  EXPECT_THAT(pull(scope), testing::UnorderedElementsAre("a/store", "a/store"));
}

TEST_P(SessionTest, AProcessThatHasNotJoinedIsNamed) {
  Session p0 = join("p0");
  ASSERT_EQ(p0.thread("a").path("store").write(number(2), patient), Status::ok);
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  EXPECT_THAT(pull(scope), testing::UnorderedElementsAre("a/store", "missing process p1"));
}

TEST_P(SessionTest, AMissingServerIsNamedAndAfterItsRestartTheViewIsComplete) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  ASSERT_EQ(p0.thread("a").path("send").write(number(1), patient), Status::ok);
  ASSERT_TRUE(p1.thread("b").path("receive").take(From::oldest, patient));
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  const NodeIndex node = *plan->find_node("n1");
  EXPECT_EQ(pull(scope).size(), 2u);
  servers[node.number()].reset();
  EXPECT_THAT(pull(scope), testing::UnorderedElementsAre("b/receive", "missing server of node n1"));
  EXPECT_GT(view.missing.at(0).sources, 0u);
  servers[node.number()] = test::started_server(plan, node);
  EXPECT_TRUE(eventually([&] { return pull(scope).size() == 2 && view.missing.empty(); }));
}

TEST_P(SessionTest, EveryRecordArrivesOnceAcrossARestartOfAServer) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  Path& send = p0.thread("a").path("send");
  Path& receive = p1.thread("b").path("receive");
  Consumer consumer(plan);
  EventScope scope = consumer.open("events");
  std::vector<std::uint64_t> of_send;
  const auto collect = [&] {
    pull(scope);
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      const bool sends = plan->paths[PathIndex(record.path)].name == "send";
      if (sends && record.point == static_cast<std::uint16_t>(CollectPoint::thread))
        of_send.push_back(record.sequence);
    }
  };
  const NodeIndex node = *plan->find_node("n1");
  for (std::int64_t i = 1; i <= 30; ++i) {
    ASSERT_EQ(send.write(number(i), patient), Status::ok);
    ASSERT_TRUE(receive.take(From::oldest, patient));
    if (i == 10) servers[node.number()].reset();
    if (i == 12) servers[node.number()] = test::started_server(plan, node);
    if (i % 3 == 0) collect();
  }
  EXPECT_TRUE(eventually([&] {
    collect();
    return of_send.size() >= 30;
  }));
  std::vector<std::uint64_t> expected(30);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = i + 1;
  EXPECT_EQ(of_send, expected);
}

// The application's process p0 runs three times. Each run ends before its last records have been read. During
// the second run, the server that reads its segment also restarts.
TEST_P(SessionTest, EveryRecordOfEachRunOfAProcessArrivesOnce) {
  Session p1 = join("p1");
  Path& receive = p1.thread("b").path("receive");
  Consumer consumer(plan);
  EventScope scope = consumer.open("events");
  std::vector<std::uint64_t> of_send;
  Loss lost;
  const auto collect = [&] {
    pull(scope);
    lost += view.loss;
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      const bool sends = plan->paths[PathIndex(record.path)].name == "send";
      if (sends && record.point == static_cast<std::uint16_t>(CollectPoint::thread))
        of_send.push_back(record.sequence);
    }
  };
  std::vector<std::uint64_t> expected;
  for (int life = 1; life <= 3; ++life) {
    Session p0 = join("p0");
    Path& send = p0.thread("a").path("send");
    const auto work = [&](std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t i = from; i <= to; ++i) {
        ASSERT_EQ(send.write(number(static_cast<std::int64_t>(i)), patient), Status::ok);
        ASSERT_TRUE(receive.take(From::oldest, patient));
        expected.push_back(i);
      }
    };
    work(1, 6 + life);
    EXPECT_TRUE(eventually([&] {
      collect();
      return of_send.size() >= expected.size();
    }));
    if (life == 2) {
      const NodeIndex node = *plan->find_node("n1");
      servers[node.number()].reset();
      servers[node.number()] = test::started_server(plan, node);
      EXPECT_TRUE(eventually([&] {
        collect();
        return view.missing.empty() && view.sources_read > 0;
      }));
    }
    work(7 + life, 20);  // unread when this run ends
  }
  EXPECT_TRUE(eventually([&] {
    collect();
    return of_send.size() >= expected.size();
  }));
  collect();
  EXPECT_EQ(of_send, expected);
  EXPECT_EQ(lost.discarded + lost.earlier + lost.torn + lost.repeated, 0u);
}

TEST_P(SessionTest, ClosingEndsTheWaits) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  auto taken = std::async(std::launch::async,
                          [&] { return told(p1.thread("b").path("receive").take(From::oldest, patient)); });
  p1.close();
  EXPECT_EQ(taken.get(), "closed");
}

TEST_P(SessionTest, WithoutCollectingThereIsNoSegment) {
  Session p0 = Session::join(plan, "p0", Session::Options{.name = {}, .collect = false});
  EXPECT_EQ(p0.thread("a").path("store").write(number(2), patient), Status::ok);
  EXPECT_EQ(p0.events_recorded(), 0u);
  EXPECT_THAT(directory.files(), testing::Not(Contains(HasSubstr(".p0."))));
}

TEST_P(SessionTest, CollectingCanBeSwitchedDuringTheRun) {
  Session p0 = join("p0");
  Path& store = p0.thread("a").path("store");
  ASSERT_EQ(store.write(number(1), patient), Status::ok);
  EXPECT_EQ(p0.events_recorded(), 1u);
  p0.set_collecting(false);
  ASSERT_EQ(store.write(number(2), patient), Status::ok);
  EXPECT_EQ(p0.events_recorded(), 1u);
}

TEST_P(SessionTest, ErrorsAboutUnknownNamesListTheKnownOnes) {
  const auto text_of = [](auto call) -> std::string { return test::error_text<ConfigurationError>(call); };
  Session p0 = join("p0");
  EXPECT_THAT(text_of([&] { join("p9"); }), HasSubstr("p0, p1"));
  EXPECT_THAT(text_of([&] { p0.thread("b"); }), HasSubstr("it places a"));
  EXPECT_THAT(text_of([&] { p0.thread("a").path("receive"); }), HasSubstr("send"));
  Consumer consumer(plan);
  EXPECT_THAT(text_of([&] { consumer.open("none"); }), HasSubstr("newest"));
  Session p1 = join("p1");
  std::async(std::launch::async, [&] { p1.thread("b"); }).get();
  EXPECT_THAT(text_of([&] { p1.thread("b"); }), HasSubstr("in use by another thread"));
}

// The C library gives a new thread the pthread_t of a thread that has ended; the kernel's id differs.
TEST_P(SessionTest, ALaterThreadDoesNotTakeThePlaceOfOneThatHasEnded) {
  Session p0 = join("p0");
  std::thread::id ended;
  std::thread([&] {
    ended = std::this_thread::get_id();
    p0.thread("a");
  }).join();
  for (bool has_its_id = false; !has_its_id;) {
    std::thread([&] {
      has_its_id = std::this_thread::get_id() == ended;
      EXPECT_THROW(p0.thread("a"), ConfigurationError);
    }).join();
  }
}

TEST_P(SessionTest, ASecondJoinIsRefusedAndTheFirstGoesOn) {
  Session p0 = join("p0");
  EXPECT_THAT([this] { join("p0"); },
              testing::ThrowsMessage<EnvironmentError>(HasSubstr("is in use: this process")));
  EXPECT_THAT(directory.files(), Contains(HasSubstr(".p0.")));
  ASSERT_EQ(p0.thread("a").path("store").write(number(1), patient), Status::ok);
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  EXPECT_THAT(pull(scope), Contains("a/store"));
}

TEST_P(SessionTest, AForkedChildLeavesItsCopyAlone) {
  std::optional<Session> p1(join("p1"));
  std::optional<Session> p0(join("p0"));
  ASSERT_EQ(p0->thread("a").path("send").write(number(1), patient), Status::ok);
  test::Child child([&] {
    p0.reset();
    p1.reset();
  });
  ASSERT_TRUE(eventually([&] { return child.has_ended(); }));
  EXPECT_TRUE(child.ends_well());
  EXPECT_EQ(p0->thread("a").path("send").write(number(2), patient), Status::ok);
  EXPECT_EQ(told(p1->thread("b").path("receive").take(From::oldest, patient)), "1");
}

TEST_P(SessionTest, AServerReportsItsIdentity) {
  Consumer consumer(plan);
  const auto report = consumer.ping(*plan->find_node("g"), 5s);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->fingerprint, plan->fingerprint);
  EXPECT_EQ(report->session, "small");
  servers[plan->find_node("g")->number()].reset();
  EXPECT_FALSE(consumer.ping(*plan->find_node("g"), 50ms));
}

// --- a lost process ----------------------------------------------------------------------------------------

std::string question_and_answer() {
  const auto port = [] { return std::to_string(test::free_port()); };
  return "pathmap: 1\nname: pair\ncluster: {nodes: {n1: {host: 127.0.0.1, port: " + port() +
         "}}}\n"
         "application:\n  threads: [a, b]\n"
         "  elements:\n    - {name: question, tuple: [int]}\n    - {name: answer, tuple: [int]}\n"
         "  paths:\n"
         "    - {thread: a, name: ask, element: question, use: write}\n"
         "    - {thread: b, name: asked, element: question, use: read}\n"
         "    - {thread: b, name: tell, element: answer, use: write}\n"
         "    - {thread: a, name: told, element: answer, use: read}\n"
         "placement:\n  processes:\n"
         "    p0: {node: n1, port: " +
         port() + ", threads: a}\n    p1: {node: n1, port: " + port() +
         ", threads: b}\n"
         "  elements: [{elements: '*', with: reader}]\n"
         "collect: {points: [{threads: [a, b], at: [thread, element]}]}\n";
}

/// Thread b of p1 has answered thread a of p0 once; then p0 has ended.
class LostProcessTest : public testing::Test {
 protected:
  explicit LostProcessTest(WhenLost when_lost = WhenLost::end) {
    plan = test::shared_plan(parse_plan(question_and_answer(), "session_test.yaml"));
    p1.emplace(
        Session::join(plan, "p1", Session::Options{.name = {}, .collect = true, .when_lost = when_lost}));
    const Session p0 = Session::join(plan, "p0", Session::Options{});
    EXPECT_EQ(path("tell").write(number(1), patient), Status::ok);
  }
  Path& path(const std::string& name) { return p1->thread("b").path(name); }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::optional<Session> p1;
};

TEST_F(LostProcessTest, AWaitForItEndsAndIsRecordedAsOneOperation) {
  const std::uint64_t before = p1->events_recorded();
  const Received received = path("asked").take(From::oldest, patient);
  EXPECT_EQ(received.status, Status::closed);
  EXPECT_THAT(received.reason, HasSubstr("(on the way to process p0) was lost"));
  EXPECT_EQ(p1->events_recorded(), before + 2);  // one record at the thread, one at the element
}

TEST_F(LostProcessTest, OperationsOnItsElementsEnd) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(path("tell").write(number(2), patient), Status::closed);
}

class AwaitedProcessTest : public LostProcessTest {
 protected:
  AwaitedProcessTest() : LostProcessTest(WhenLost::reconnect) {}
};

TEST_F(AwaitedProcessTest, OperationsWaitByDefault) {
  EXPECT_EQ(told(path("asked").take(From::oldest, Deadline::after(500ms))), "timed out");
  Operation write;
  write.tuple = number(3);
  write.deadline = patient;
  path("tell").stage().begin(write);
  EXPECT_FALSE(path("tell").stage().ready(write));
  const Session p0 = Session::join(plan, "p0", Session::Options{});
  path("tell").stage().finish(write);
  EXPECT_EQ(write.status, Status::ok);
}

// --- a path that is opened again ---------------------------------------------------------------------------

class PathEndTest : public testing::Test {
 protected:
  static Operation take() {
    Operation operation;
    operation.verb = Verb::take;
    return operation;
  }
  Element box{{"box", {FieldType::integer}, 4}};
  PathEnd end{std::make_unique<ElementStage>(box)};
};

TEST_F(PathEndTest, AnOperationOfTheEarlierUserEndsAsClosed) {
  const auto earlier = end.open();
  Operation left = take();
  earlier->begin(left);
  EXPECT_FALSE(earlier->ready(left));
  const auto later = end.open();
  EXPECT_TRUE(earlier->ready(left));
  earlier->finish(left);
  EXPECT_EQ(left.status, Status::closed);
  EXPECT_THAT(left.reason, HasSubstr("taken over this path"));
}

TEST_F(PathEndTest, TheEarlierUserIsRefused) {
  const auto earlier = end.open();
  const auto later = end.open();
  Operation operation = take();
  earlier->call(operation);
  EXPECT_EQ(operation.status, Status::refused);
}

TEST_F(PathEndTest, TheLaterUserWorksAndOutlivesTheEarlier) {
  auto earlier = end.open();
  const auto later = end.open();
  earlier.reset();
  Operation write;
  write.tuple = number(7);
  later->call(write);
  EXPECT_EQ(write.status, Status::ok);
}

}  // namespace
}  // namespace eventspace
