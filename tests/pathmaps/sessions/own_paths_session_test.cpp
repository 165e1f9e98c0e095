#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include <eventspace/stage.h>
#include "collectors/event_record.h"
#include "pathmaps/hosting/scope_paths.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"

// Recording of the scopes' own paths. Threads a and b are in processes on the nodes n1 and n2, behind the
// gateway g. Scope "events" gathers their events on g. Its pulls are recorded, and read through scope
// "pulls".

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::number;
using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string observed_pathmap(const std::string& collect) {
  const auto port = [] { return std::to_string(test::free_port()); };
  return "pathmap: 1\nname: small\ncluster:\n  nodes:\n"
         "    g: {host: 127.0.0.1, port: " +
         port() + "}\n    n1: {host: 127.0.0.1, port: " + port() +
         "}\n    n2: {host: 127.0.0.1, port: " + port() +
         "}\n  clusters:\n    c: {gateway: g, nodes: [n1, n2]}\n"
         "application:\n  threads: [a, b]\n"
         "  elements: [{name: \"log/{thread}\", for: \"*\", tuple: [int], threshold: 4, when_full: "
         "discard}]\n"
         "  paths: [{thread: \"*\", name: log, element: \"log/{thread}\", use: write}]\n"
         "placement:\n  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
         "collect:\n" +
         collect +
         "  points: [{at: thread, threshold: 1000}]\n"
         "scopes:\n"
         "  events:\n    read: next\n    timeout: 60s\n    collect: {threshold: 5000}\n"
         "    levels: [{group: all, wrapper: gather}, {group: cluster, wrapper: gather}, "
         "{group: node, wrapper: gather}]\n"
         "  other: {collect: {}, timeout: 60s, shape: by-node}\n"
         "  plain: {read: next, timeout: 60s, shape: by-node}\n"
         "  pulls: {of: events, read: next, timeout: 60s, shape: by-node}\n"
         "  newest: {of: events, timeout: 60s, shape: by-node}\n";
}

class OwnPathsTest : public testing::Test {
 protected:
  explicit OwnPathsTest(const std::string& collect = "") {
    plan = test::shared_plan(parse_plan(observed_pathmap(collect), "own_paths.yaml"));
    servers = test::started_servers(plan);
    for (const char* const process : {"p0", "p1"})
      sessions.push_back(Session::join(plan, process, Session::Options{}));
    consumer.emplace(plan);
  }

  void write_both(std::int64_t value) {
    ASSERT_EQ(sessions[0].thread("a").path("log").write(number(value), Deadline::after(60s)), Status::ok);
    ASSERT_EQ(sessions[1].thread("b").path("log").write(number(value), Deadline::after(60s)), Status::ok);
  }

  static View whole(EventScope& scope) {
    View view = scope.pull({});
    for (const Missing& missing : view.missing) ADD_FAILURE() << missing.what << ": " << missing.detail;
    return view;
  }

  /// The records of the pulls through "events", by path, such as "g/ask/n1".
  using Records = std::map<std::string, std::vector<EventRecord>>;
  void take_over(const View& view) {
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      const std::string& part = plan->threads.at(ThreadIndex(record.thread)).name;
      records[part.substr(std::string("scopes/events/").size()) + "/" +
              plan->paths.at(PathIndex(record.path)).name]
          .push_back(record);
    }
  }
  void read_pulls() {
    if (!pulls) pulls.emplace(consumer->open("pulls"));
    take_over(whole(*pulls));
  }

  /// Returns the tree of scope "events", with the path numbers changed by `change`.
  [[nodiscard]] ScopeTree changed(const std::function<void(ScopeNode& gateway)>& change) const {
    ScopeTree tree = *plan->find_scope("events");
    change(tree.root.children.at(0));
    return tree;
  }
  /// Returns the reason that a pull through the changed tree gives for missing data; empty if nothing is
  /// missing.
  std::string refusal(const std::function<void(ScopeNode& gateway)>& change) {
    EventScope scope = consumer->open(changed(change));
    std::string refusal;
    for (const Missing& missing : scope.pull({}).missing) refusal += missing.detail;
    return refusal;
  }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
  std::vector<Session> sessions;
  std::optional<Consumer> consumer;
  std::optional<EventScope> pulls;
  Records records;
};

bool lies_within(const EventRecord& inner, const EventRecord& outer) {
  return outer.start <= inner.start && inner.end <= outer.end;
}

TEST_F(OwnPathsTest, EachPullIsRecordedByTheAskingAndTheAnsweringPart) {
  EventScope events = consumer->open("events");
  constexpr std::size_t times = 20;
  std::size_t read = 0;
  for (std::size_t i = 0; i < times; ++i) {
    write_both(static_cast<std::int64_t>(i));
    read += whole(events).records.size();
  }
  read_pulls();
  ASSERT_THAT(records, SizeIs(5));
  for (const auto& [path, of_path] : records) {
    ASSERT_THAT(of_path, SizeIs(times)) << path;
    for (std::size_t i = 0; i < times; ++i) {
      EXPECT_EQ(of_path[i].sequence, i + 1) << path;
      EXPECT_EQ(of_path[i].verb, Verb::pull) << path;
      EXPECT_EQ(of_path[i].status, Status::ok) << path;
      EXPECT_EQ(of_path[i].missed, 0U) << path;
    }
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < times; ++i) {
    bytes += records["g/answer"][i].bytes;
    for (const std::string node : {"n1", "n2"}) {
      const EventRecord& ask = records["g/ask/" + node][i];
      EXPECT_TRUE(lies_within(ask, records["g/answer"][i])) << i;
      EXPECT_TRUE(lies_within(records[node + "/answer"][i], ask)) << i;
      EXPECT_EQ(ask.bytes, records[node + "/answer"][i].bytes) << i;
      EXPECT_EQ(plan->threads.at(ThreadIndex(ask.peer)).name, "scopes/events/" + node);
    }
  }
  EXPECT_EQ(bytes, read * sizeof(TraceTuple));
}

TEST_F(OwnPathsTest, ConsumersShareAPart) {
  constexpr std::size_t times = 50;
  const auto consume = [&] {
    Consumer own(plan);
    EventScope events = own.open("events");
    for (std::size_t i = 0; i < times; ++i) whole(events);
  };
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) threads.emplace_back(consume);
  for (std::thread& thread : threads) thread.join();
  read_pulls();
  ASSERT_THAT(records, SizeIs(5));
  for (const auto& [path, of_path] : records) {
    ASSERT_THAT(of_path, SizeIs(3 * times)) << path;
    for (std::size_t i = 0; i < of_path.size(); ++i) EXPECT_EQ(of_path[i].sequence, i + 1) << path;
    EXPECT_TRUE(std::ranges::all_of(of_path, [](const EventRecord& record) {
      return record.status == Status::ok && record.start <= record.end;
    })) << path;
  }
}

TEST_F(OwnPathsTest, TheObservingScopeIsNotRecorded) {
  EventScope newest = consumer->open("newest");
  EventScope plain = consumer->open("plain");
  for (int i = 0; i < 5; ++i) {
    whole(newest);
    whole(plain);
  }
  read_pulls();
  EXPECT_TRUE(records.empty());
}

TEST_F(OwnPathsTest, APullWithoutAnAnswerIsRecordedAsTimedOut) {
  EventScope events = consumer->open("events");
  whole(events);
  const NodeIndex node = *plan->find_node("n2");
  servers[node.number()].reset();
  EXPECT_THAT(events.pull({.deadline = Deadline::after(6s)}).missing, SizeIs(1));
  servers[node.number()] = test::started_server(plan, node);
  EventScope newest = consumer->open("newest");
  take_over(whole(newest));
  ASSERT_THAT(records["g/ask/n2"], SizeIs(1));
  EXPECT_EQ(records["g/ask/n2"][0].status, Status::timed_out);
  EXPECT_EQ(records["g/answer"][0].status, Status::ok);
  EXPECT_EQ(records["g/answer"][0].missed, 1U);
  EXPECT_EQ(records["g/answer"][0].sequence, 2U);
}

TEST_F(OwnPathsTest, ARestartedServerRecordsInANewRun) {
  EventScope events = consumer->open("events");
  whole(events);
  read_pulls();
  const NodeIndex node = *plan->find_node("n1");
  servers[node.number()].reset();
  servers[node.number()] = test::started_server(plan, node);
  EXPECT_TRUE(eventually([&] { return events.pull({}).missing.empty(); }));
  EXPECT_TRUE(eventually([&] {
    take_over(pulls->pull({}));
    return records["n1/answer"].size() >= 2;
  }));
  EXPECT_EQ(records["n1/answer"][1].sequence, 1U);
}

TEST_F(OwnPathsTest, AReconfiguredScopeIsRecordedAsItsNewTreeSays) {
  write_both(1);
  EventScope events = consumer->open("events");
  std::size_t read = whole(events).records.size();
  ScopeTree flat = *plan->find_scope("plain");
  flat.scope = "events";
  events.reconfigure(flat);
  for (int i = 0; i < 3; ++i)
    read += whole(events).records.size();  // the new tree is used after the first pull
  read_pulls();
  for (const auto& [path, of_path] : records) EXPECT_THAT(of_path, SizeIs(2)) << path;
  events.reconfigure(changed([](ScopeNode& gateway) { gateway.children.at(0).answer_path.reset(); }));
  write_both(2);
  for (int i = 0; i < 3; ++i) read += whole(events).records.size();
  read_pulls();
  EXPECT_THAT(records["n1/answer"], SizeIs(2));
  EXPECT_THAT(records["n2/answer"], SizeIs(4));
  EXPECT_THAT(records["g/ask/n1"], SizeIs(4));
  EXPECT_EQ(read, 4U);
}

TEST_F(OwnPathsTest, PathNumbersOfOtherPartsAreRefusedWithTheReason) {
  EXPECT_THAT(refusal([](ScopeNode& gateway) { gateway.answer_path = 9999; }),
              HasSubstr("scope events cannot record its pulls on path number 9999: the path does not exist"));
  EXPECT_THAT(refusal([](ScopeNode& gateway) { gateway.answer_path = 0; }),
              HasSubstr("that path belongs to a, of the application"));
  EXPECT_THAT(refusal([&](ScopeNode& gateway) {
                gateway.answer_path = plan->find_scope("other")->root.children.at(0).answer_path;
              }),
              HasSubstr("that path belongs to scope other"));
  EXPECT_THAT(refusal([](ScopeNode& gateway) { gateway.answer_path = gateway.children.at(0).answer_path; }),
              HasSubstr("that path belongs to node n1; this is the server of node g"));
  EXPECT_THAT(refusal([](ScopeNode& gateway) { gateway.answer_path = gateway.children.at(0).ask_path; }),
              HasSubstr("on that path its part on this server pulls from another part"));
  EXPECT_THAT(refusal([](ScopeNode& gateway) { gateway.children.at(0).ask_path = gateway.answer_path; }),
              HasSubstr("on that path its part on this server is pulled from"));
  EXPECT_THAT(
      refusal([](ScopeNode& gateway) { gateway.children.at(0).ask_path = gateway.children.at(1).ask_path; }),
      HasSubstr("that path leads to node n2, not to n1"));
  EXPECT_EQ(refusal([](ScopeNode&) {}), "");
}

class NotCollected : public OwnPathsTest {
 protected:
  NotCollected() : OwnPathsTest("  enabled: false\n") {}
};

class EndStage final : public Stage {
 public:
  void begin(Operation& /*operation*/) override {}
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override { operation.status = Status::ok; }
};

TEST_F(NotCollected, NoStageIsAddedToThePath) {
  const ScopeNode& gateway = plan->find_scope("events")->root.children.at(0);
  ScopeTree part = *plan->find_scope("events");
  part.root = gateway;
  for (const bool collects : {false, true}) {
    SessionHost host(plan, *plan->find_node("g"), "alone", collects);
    ScopePaths paths(*plan, *plan->find_node("g"), host);
    auto end = std::make_unique<EndStage>();
    const Stage* const bare = end.get();
    const auto answer = paths.answer(part, std::move(end));
    EXPECT_EQ(answer.get() == bare, !collects);
    end = std::make_unique<EndStage>();
    const Stage* const bare_too = end.get();
    const auto ask = paths.ask(part, gateway.children.at(0), std::move(end));
    EXPECT_EQ(ask.get() == bare_too, !collects);
  }
}

TEST_F(NotCollected, NothingIsRecordedAndScopesWork) {
  EventScope events = consumer->open("events");
  EXPECT_TRUE(std::ranges::all_of(events.pull({}).missing, [](const Missing& missing) {
    return missing.cause == MissingCause::no_segment;  // the processes do not record either
  }));
  EventScope own = consumer->open("pulls");
  const View view = own.pull({});
  EXPECT_TRUE(view.records.empty());
  std::vector<std::string> missing;
  for (const Missing& part : view.missing) missing.push_back(part.what);
  EXPECT_THAT(missing, UnorderedElementsAre("process server@g", "process server@n1", "process server@n2"));
}

}  // namespace
}  // namespace eventspace
