#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include <eventspace/session.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "scopes/gathering/operator_thread.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"

// Wrappers from shared objects, running on a server and on a consumer. Thread a of process p0 on node n1
// writes to its log. Some wrappers throw, and some hang until the test creates a file.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using testing::HasSubstr;
using testing::IsEmpty;

class WrapperSession : public testing::Test {
 protected:
  WrapperSession() {
    plan_ = test::shared_plan(parse_plan(text(), "wrapper_session_test.yaml"));
    server_.emplace(plan_, NodeIndex(0), NodeServer::Options{});
    server_->start();
    session_.emplace(Session::join(plan_, "p0", Session::Options{}));
    consumer_.emplace(plan_);
  }
  ~WrapperSession() override {
    let_go_on();
    consumer_.reset();
    server_.reset();
    EXPECT_TRUE(eventually([] { return OperatorThread::left_to_themselves() == 0; }));
  }

  void write(int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(session_->thread("a").path("log").write(test::number(i), Deadline::after(60s)), Status::ok);
  }
  void let_go_on() const { std::ofstream(file()) << "go on"; }
  [[nodiscard]] bool comes_to_hang() const {
    return eventually([this] { return std::filesystem::exists(file().string() + ".hangs"); });
  }
  EventScope open(const std::string& scope) { return consumer_->open(scope); }

  /// Returns the sequence numbers of a pull's records, "1 2 3".
  std::string pull(EventScope& scope) {
    view_ = scope.pull({.deadline = Deadline::after(60s)});
    std::string numbers;
    for (const TraceTuple& tuple : view_.records)
      numbers += (numbers.empty() ? "" : " ") + std::to_string(decode(tuple).sequence);
    return numbers;
  }
  [[nodiscard]] std::string missing() const {
    if (view_.missing.empty()) return "";
    const Missing& first = view_.missing.front();
    return first.node + ": " + first.what + ": " + std::string(to_string(first.cause));
  }
  void stop_server() { server_.reset(); }

  View view_;

 private:
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "go-on"; }

  std::string text() const {
    const std::string library = std::string(EVENTSPACE_PLUGINS) + "/odd_wrapper.so";
    const std::string hang = "{brief: {do: hang, file: \"" + file().string() + "\"}}";
    const auto on_server = [](const std::string& wrapper) {
      return "{read: next, timeout: 60s, levels: [{group: all, wrapper: gather}, {group: node, wrapper: " +
             wrapper + "}]}\n";
    };
    return "pathmap: 1\nname: odd\n"
           "cluster: {nodes: {n1: {host: 127.0.0.1, port: " +
           std::to_string(test::free_port()) +
           "}}}\n"
           "application:\n  threads: [a]\n  elements: [{name: log, tuple: [int], when_full: discard}]\n"
           "  paths: [{thread: a, name: log, element: log}]\n"
           "placement: {processes: {p0: {node: n1, threads: a}}}\n"
           "collect: {points: [{at: thread}]}\n"
           "wrappers:\n"
           "  odd: {library: " +
           library + ", limit: 1min}\n  brief: {library: " + library +
           ", limit: 1ms}\n"
           "scopes:\n"
           "  plain: " +
           on_server("gather") + "  odd: " + on_server("odd") +
           "  throws: " + on_server("{odd: {do: throw}}") + "  hangs: " + on_server(hang) +
           "  here: {read: next, timeout: 60s, shape: flat, wrapper: odd}\n"
           "  hangs-here: {read: next, timeout: 60s, shape: flat, wrapper: " +
           hang + "}\n";
  }

  test::SegmentDirectory directory_;
  std::shared_ptr<const Plan> plan_;
  std::optional<NodeServer> server_;
  std::optional<Session> session_;
  std::optional<Consumer> consumer_;
};

TEST_F(WrapperSession, WrappersRunOnTheServer) {
  write(4);
  EventScope scope = open("odd");
  EXPECT_EQ(pull(scope), "1 3");
  EXPECT_EQ(view_.loss.filtered, 2U);
  EXPECT_THAT(view_.missing, IsEmpty());
}

TEST_F(WrapperSession, WrappersRunOnTheConsumer) {
  write(4);
  EventScope scope = open("here");
  EXPECT_EQ(pull(scope), "1 3");
  EXPECT_EQ(view_.loss.filtered, 2U);
}

TEST_F(WrapperSession, AnExceptionReachesTheMonitorWithTheCounts) {
  EventScope throws = open("throws");
  write(4);
  EXPECT_EQ(pull(throws), "");
  EXPECT_EQ(missing(), "n1: wrapper odd of node n1: failed");
  EXPECT_THAT(view_.missing.at(0).detail, HasSubstr("the moon is full"));
  EXPECT_EQ(view_.loss.failed, 4U);
  EXPECT_EQ(view_.processes.size(), 1U);  // the other data of the view arrives
  write(2);
  EXPECT_EQ(pull(throws), "");
  EXPECT_EQ(view_.loss.failed, 2U);
  EventScope plain = open("plain");
  EXPECT_EQ(pull(plain), "1 2 3 4 5 6");
}

TEST_F(WrapperSession, AWrapperThatHangsIsSkippedAndNothingIsLost) {
  EventScope hangs = open("hangs");
  EventScope plain = open("plain");
  write(3);
  EXPECT_EQ(pull(hangs), "");
  EXPECT_EQ(missing(), "n1: wrapper brief of node n1: no answer");
  EXPECT_EQ(pull(plain), "1 2 3");  // the server still works
  EXPECT_EQ(pull(hangs), "");
  EXPECT_EQ(missing(), "n1: wrapper brief of node n1: skipped");
  write(2);
  EXPECT_EQ(pull(plain), "4 5");
  let_go_on();
  EXPECT_TRUE(eventually([&] { return pull(hangs) == "1 2 3"; }));
  // With its short limit, the wrapper is now sometimes late. Each record arrives exactly once in any case.
  std::string rest;
  EXPECT_TRUE(eventually([&] { return (rest += pull(hangs)) == "4 5"; }));
}

TEST_F(WrapperSession, AWrapperThatHangsOnTheConsumerIsSkipped) {
  EventScope hangs = open("hangs-here");
  write(2);
  EXPECT_EQ(pull(hangs), "");
  EXPECT_EQ(missing(), ": wrapper brief of all: no answer");
  let_go_on();
  EXPECT_TRUE(eventually([&] { return pull(hangs) == "1 2"; }));
}

TEST_F(WrapperSession, AServerStopsWhileAWrapperHangs) {
  EventScope hangs = open("hangs");
  write(1);
  EXPECT_EQ(pull(hangs), "");
  ASSERT_TRUE(comes_to_hang());  // otherwise stop() would end the thread before the wrapper runs
  stop_server();
  EXPECT_EQ(OperatorThread::left_to_themselves(), 1U);
}

}  // namespace
}  // namespace eventspace
