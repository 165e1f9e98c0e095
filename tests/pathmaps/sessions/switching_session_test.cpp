#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <eventspace/session.h>
#include "collectors/switching/switch_processes.h"
#include "collectors/switching/switch_target.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/collect_control.h"
#include "pathmaps/sessions/consumer.h"
#include "paths/wire/msgpack_body.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"
#include "tuplespace/system/session_files.h"

// Two processes on two nodes, whose collecting is switched through the nodes' servers, which lie behind a
// gateway, and without them.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using By = SwitchedNode::By;

std::string switched_pathmap() {
  const auto port = [] { return std::to_string(test::free_port()); };
  return "pathmap: 1\nname: switching\ncluster:\n  nodes:\n"
         "    g: {host: 127.0.0.1, port: " +
         port() + "}\n    n1: {host: 127.0.0.1, port: " + port() +
         "}\n    n2: {host: 127.0.0.1, port: " + port() +
         "}\n  clusters:\n    c: {gateway: g, nodes: [n1, n2]}\n"
         "application:\n  threads: [a, b]\n"
         "  elements:\n    - {name: \"log/a\", tuple: [int]}\n    - {name: \"log/b\", tuple: [int]}\n"
         "  paths:\n    - {thread: a, name: log, element: log/a, use: write}\n"
         "    - {thread: b, name: log, element: log/b, use: write}\n"
         "placement:\n  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
         "  elements:\n    - {elements: log/a, process: p0}\n    - {elements: log/b, process: p1}\n"
         "collect:\n  points:\n    - {at: thread}\n"
         "scopes:\n  newest:\n    timeout: 5s\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";
}

class SwitchingSessionTest : public testing::Test {
 protected:
  SwitchingSessionTest() {
    plan = test::shared_plan(parse_plan(switched_pathmap(), "switching_session_test.yaml"));
    p0.emplace(Session::join(plan, "p0", Session::Options{}));
    p1.emplace(Session::join(plan, "p1", Session::Options{}));
  }

  void start_servers() { servers = test::started_servers(plan); }
  /// Switches on n1 and n2.
  std::vector<SwitchedNode> do_switch(const SwitchOrder& order, std::chrono::nanoseconds timeout,
                                      const std::string& session = "switching") {
    return switch_nodes(*plan, session, {*plan->find_node("n1"), *plan->find_node("n2")}, order, timeout);
  }
  static SwitchOrder order(std::uint32_t period, const std::string& processes = "**") {
    SwitchOrder order;
    order.processes = processes;
    order.period = period;
    return order;
  }
  static void write(Session& session, const char* thread, int times) {
    Path& path = session.thread(thread).path("log");
    for (int i = 0; i < times; ++i) ASSERT_EQ(path.write(Tuple::of({std::int64_t{i}})), Status::ok);
  }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
  std::optional<Session> p0, p1;
};

TEST_F(SwitchingSessionTest, ServersBehindAGatewaySwitchTheProcessesOfTheirNodes) {
  start_servers();
  const auto outcomes = do_switch(order(CollectSwitch::off), 10s);
  ASSERT_EQ(outcomes.size(), 2u);
  for (const SwitchedNode& outcome : outcomes) {
    EXPECT_EQ(outcome.by, By::server) << outcome.refusal;
    ASSERT_EQ(outcome.processes.size(), 1u);
    EXPECT_EQ(describe(outcome.processes[0].state), "off");
  }
  EXPECT_EQ(outcomes[1].processes[0].process, "p1");
  write(*p0, "a", 5);
  write(*p1, "b", 5);
  EXPECT_EQ(p0->events_recorded() + p1->events_recorded(), 0u);
  do_switch(order(CollectSwitch::everything), 10s);
  write(*p0, "a", 5);
  EXPECT_EQ(p0->events_recorded(), 5u);
}

TEST_F(SwitchingSessionTest, OnlyTheProcessesAndEventsThatAreNamedAreSwitched) {
  start_servers();
  SwitchOrder take_off = order(CollectSwitch::off);
  take_off.events = events_named("operation", "take");
  do_switch(take_off, 10s);
  do_switch(order(2, "p1"), 10s);
  write(*p0, "a", 4);
  write(*p1, "b", 4);
  EXPECT_EQ(p0->events_recorded(), 4u);
  EXPECT_EQ(p1->events_recorded(), 2u);
}

TEST_F(SwitchingSessionTest, WithoutServersTheControlFilesOfThisMachineAreWritten) {
  const auto outcomes = do_switch(order(2), 50ms);
  EXPECT_EQ(outcomes[0].by, By::directly);
  EXPECT_EQ(outcomes[1].by, By::directly);
  write(*p0, "a", 10);
  EXPECT_EQ(p0->events_recorded(), 5u);
}

TEST_F(SwitchingSessionTest, AServerOfAnotherSessionSwitchesNothing) {
  start_servers();
  const auto outcomes = do_switch(order(CollectSwitch::off), 10s, "other");
  EXPECT_EQ(outcomes[0].by, By::neither);
  EXPECT_THAT(outcomes[0].refusal, HasSubstr("it is of another session or user"));
  write(*p0, "a", 1);
  EXPECT_EQ(p0->events_recorded(), 1u);
}

TEST_F(SwitchingSessionTest, WithoutASettingTheStateIsShownAndNothingChanged) {
  p0->set_collecting(false);
  const auto outcomes = do_switch(SwitchOrder{}, 50ms);
  EXPECT_EQ(describe(outcomes[0].processes.at(0).state), "off, by the program");
  EXPECT_EQ(describe(outcomes[1].processes.at(0).state), "on");
}

TEST_F(SwitchingSessionTest, AProcessWithoutAUsableControlFileGoesOnAndIsNamedWithTheReason) {
  const auto control = control_file_of(find_segments("switching", "n1").at(0));
  ASSERT_EQ(::truncate(control.c_str(), 10), 0);
  auto outcomes = do_switch(order(CollectSwitch::off), 50ms);
  ASSERT_EQ(outcomes[0].processes.size(), 1u);
  EXPECT_EQ(outcomes[0].processes[0].process, "p0");
  EXPECT_THAT(outcomes[0].processes[0].refusal, HasSubstr("it is truncated: 10 bytes"));
  std::filesystem::remove(control);
  outcomes = do_switch(order(CollectSwitch::off), 50ms);
  EXPECT_THAT(outcomes[0].processes.at(0).refusal, HasSubstr("its control file is missing"));
  write(*p0, "a", 3);
  EXPECT_EQ(p0->events_recorded(), 3u);
}

TEST_F(SwitchingSessionTest, APullReportsHowMuchAProcessRecords) {
  start_servers();
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  const auto state_of = [&](std::uint32_t process) {
    const View view = scope.pull({.deadline = Deadline::after(10s)});
    for (const ProcessReport& report : view.processes) {
      if (report.process == process) return describe(report.collecting);
    }
    return std::string("not reported");
  };
  EXPECT_EQ(state_of(0), "on");
  SwitchOrder writes = order(10, "p0");
  writes.events = events_named("operation", "write");
  do_switch(writes, 10s);
  EXPECT_EQ(state_of(0), "on, but operation write 1/10");
  EXPECT_EQ(state_of(1), "on");
}

TEST_F(SwitchingSessionTest, TheControlFileGoesWithTheSession) {
  EXPECT_EQ(find_control_files("switching").size(), 2u);
  p0.reset();
  p1.reset();
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(SwitchingSessionTest, ASessionThatDoesNotCollectHasNoControlFile) {
  p0.reset();
  const Session silent = Session::join(plan, "p0", {.collect = false});
  EXPECT_THAT(find_control_files("switching", "n1"), IsEmpty());
}

TEST_F(SwitchingSessionTest, WhenNoControlFileCanBeMadeTheSessionWorksWithout) {
  p0.reset();
  // A directory has the name, and cannot be replaced.
  const std::string name =
      session_files::own_name({"switching", "n1", "p0", 0}, session_files::control_file_suffix);
  std::filesystem::create_directories(directory.path() / name / "inside");
  p0.emplace(Session::join(plan, "p0", Session::Options{}));
  write(*p0, "a", 2);
  p0->set_collecting(false);
  write(*p0, "a", 2);
  EXPECT_EQ(p0->events_recorded(), 2u);
}

// A request that our clients never send.
TEST(SwitchTargetTest, MalformedRequestsAreRefused) {
  class NoParts final : public PartSink {
   public:
    [[nodiscard]] std::size_t parts_left() const noexcept override { return 0; }
    [[nodiscard]] std::size_t bytes_left() const noexcept override { return 0; }
    void send(const std::function<void(wire::Message&)>& /*write*/) override {}
  } parts;
  const auto kind = switch_kind("s", "n");
  const auto reads = [&](const std::string& processes, const std::vector<unsigned>& events) {
    wire::Message body;
    msgpack_body::write_into(body, [&](msgpack_body::EntryWriter writer) {
      writer.array(4);
      writer.text(processes);
      writer.boolean(true);
      writer.integer(1);
      writer.array(events.size());
      for (const unsigned event : events) writer.integer(event);
    });
    Operation operation;
    return kind->read_request(body, operation, parts) != nullptr;
  };
  EXPECT_TRUE(reads("**", {1, 15}));
  EXPECT_TRUE(reads("**", {1, 255}));
  EXPECT_TRUE(reads("**", {1, 15, 1, 14, 2, 15}));
  EXPECT_TRUE(reads("**", {0, 255}));
  EXPECT_FALSE(reads("**", {0, 255, 0, 255})) << "twice the same";
  EXPECT_FALSE(reads("**", {1, 15, 2, 3, 1, 15})) << "twice the same";
  EXPECT_FALSE(reads("**", {0, 255, 1, 15})) << "all, and some of them";
  EXPECT_FALSE(reads("**", {0, 1})) << "a class of no kind";
  EXPECT_FALSE(reads("**", {})) << "no events";
  EXPECT_FALSE(reads("**", {1})) << "half a pair";
  EXPECT_FALSE(reads("**", {1, 16})) << "no such class";
  EXPECT_FALSE(reads("**", {256, 1})) << "no such kind";
  EXPECT_FALSE(reads("[", {1, 1})) << "a faulty pattern";
  EXPECT_FALSE(reads("**", std::vector<unsigned>(2 * SwitchOrder::max_events + 2, 1))) << "too many";
}

}  // namespace
}  // namespace eventspace
