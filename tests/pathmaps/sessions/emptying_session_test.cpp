#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include <eventspace/error.h>
#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "tests/error_text.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"

// The application empties its trace elements while a monitor reads them. Thread a of process p0 writes to
// box, which is in the process, and to depot, which is on the server of node n1.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::number;
using testing::ElementsAre;
using testing::IsEmpty;

class EmptyingSession : public testing::Test {
 protected:
  EmptyingSession() {
    plan = test::shared_plan(parse_plan(text(), "emptying_session_test.yaml"));
    server_.emplace(plan, NodeIndex(0), NodeServer::Options{});
    server_->start();
    session.emplace(Session::join(plan, "p0", Session::Options{}));
    consumer.emplace(plan);
  }
  ~EmptyingSession() override {
    consumer.reset();
    session.reset();
    server_.reset();
  }

  SessionThread& thread() { return session->thread("a"); }
  void write(const std::string& path, int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(thread().path(path).write(number(i), Deadline::after(60s)), Status::ok);
  }
  /// Returns the records of a pull, such as "box@thread 1".
  std::vector<std::string> pull(EventScope& scope) {
    view = scope.pull({.deadline = Deadline::after(60s)});
    std::vector<std::string> told;
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      told.push_back(std::string(consumer->names().path_name(record.path)) + "@" +
                     std::string(to_string(static_cast<CollectPoint>(record.point))) + " " +
                     std::to_string(record.sequence));
    }
    return told;
  }

  std::shared_ptr<const Plan> plan;
  std::optional<Session> session;
  std::optional<Consumer> consumer;
  View view;

 private:
  static std::string text() {
    return "pathmap: 1\nname: emptying\ncluster: {nodes: {n1: {host: 127.0.0.1, port: " +
           std::to_string(test::free_port()) +
           "}}}\n"
           "application:\n  threads: [a]\n"
           "  elements:\n    - {name: box, tuple: [int], when_full: discard}\n"
           "    - {name: depot, tuple: [int], when_full: discard}\n"
           "  paths:\n    - {thread: a, name: box, element: box}\n"
           "    - {thread: a, name: depot, element: depot}\n"
           "placement:\n  processes: {p0: {node: n1, threads: a}}\n"
           "  elements: [{elements: depot, node: n1}]\n"
           "collect: {threshold: 4, points: [{at: thread}, {paths: depot, at: element, add: true}]}\n"
           "scopes:\n"
           "  next: {at: both, read: next, probes: true, timeout: 60s, shape: by-node}\n"
           "  newest: {at: both, timeout: 60s, shape: by-node}\n";
  }

  test::SegmentDirectory directory_;
  std::optional<NodeServer> server_;
};

TEST_F(EmptyingSession, EventsFromBeforeAreCountedAndThoseFromLaterArrive) {
  EventScope scope = consumer->open("next");
  write("box", 1);
  EXPECT_THAT(pull(scope), ElementsAre("box@thread 1"));
  write("box", 3);
  thread().empty_traces();
  write("box", 2);
  EXPECT_THAT(pull(scope), ElementsAre("box@thread 5", "box@thread 6"));
  EXPECT_EQ(view.loss, (Loss{.emptied = 3}));
  EXPECT_THAT(pull(scope), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(EmptyingSession, AMonitorThatStartsLaterCountsThemToo) {
  write("box", 6);
  session->empty_traces();
  EventScope scope = consumer->open("next");
  EXPECT_THAT(pull(scope), IsEmpty());
  EXPECT_EQ(view.loss, (Loss{.earlier = 2, .emptied = 4}));
  EXPECT_EQ(session->events_recorded(), 6u);
  EXPECT_EQ(session->events_discarded(), 2u);
}

TEST_F(EmptyingSession, ThereIsNoNewestEventUntilTheNextOne) {
  EventScope scope = consumer->open("newest");
  write("box", 2);
  EXPECT_THAT(pull(scope), ElementsAre("box@thread 2"));
  session->empty_traces();
  EXPECT_THAT(pull(scope), IsEmpty());
  EXPECT_EQ(view.sources_read, 3u);
  write("box", 1);
  EXPECT_THAT(pull(scope), ElementsAre("box@thread 3"));
}

TEST_F(EmptyingSession, OfOnePathTheOthersStay) {
  write("box", 1);
  write("depot", 1);
  thread().empty_traces("box");
  EventScope scope = consumer->open("newest");
  EXPECT_THAT(pull(scope), testing::UnorderedElementsAre("depot@thread 1", "depot@element 1"));
}

TEST_F(EmptyingSession, ATraceElementOfAServerStaysWhenTheThreadsAreEmptied) {
  write("depot", 2);
  session->empty_traces();
  EventScope scope = consumer->open("next");
  EXPECT_THAT(pull(scope), ElementsAre("depot@element 1", "depot@element 2"));
  EXPECT_EQ(view.loss, (Loss{.emptied = 2}));
}

TEST_F(EmptyingSession, TheProbesOfTheThreadAreEmptiedToo) {
  SessionThread& mine = thread();
  EVENTSPACE_PROBE("tick", 1);
  EVENTSPACE_PROBE("tick", 2);
  mine.empty_traces();
  EVENTSPACE_PROBE("tick", 3);
  EventScope scope = consumer->open("next");
  EXPECT_THAT(pull(scope), ElementsAre("probes@thread 3"));
  EXPECT_EQ(view.loss, (Loss{.emptied = 2}));
}

TEST_F(EmptyingSession, AnUnknownPathIsNamed) {
  write("box", 1);
  EXPECT_EQ(test::error_text<ConfigurationError>([&] { thread().empty_traces("bok"); }),
            "thread a has no path 'bok'; it has box, depot");
}

TEST_F(EmptyingSession, WithoutCollectingThereIsNothingToEmpty) {
  Session other = Session::join(plan, "p0", {.name = "other", .collect = false});
  other.empty_traces();
  other.thread("a").empty_traces();
  EXPECT_EQ(other.events_recorded(), 0u);
}

}  // namespace
}  // namespace eventspace
