#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "collectors/clock.h"
#include "collectors/probe_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "tests/pathmaps/sessions/gateway_pathmap.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/sessions/open_session_talk.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"

// Processes without a pathmap in a session that has one: two nodes behind a gateway, all on this machine.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string pathmap_with_dynamic() {
  const std::string scope = "    threads: [a, b]\n    unplanned: true\n    timeout: 5s\n";
  return test::pathmap_behind_gateway(
      "mixed",
      "  all:\n    read: next\n" + scope +
          "    levels: [{group: all, wrappers: [gather, {sort: {by: sequence}}]}, {group: node, wrapper: "
          "gather}]\n"
          "  latest:\n" +
          scope +
          "    levels: [{group: all, wrapper: gather}, {group: process, wrapper: {reduce: {keep: latest}}}]\n"
          "  one-by-one:\n    read: next\n    most: 3\n" +
          scope +
          "    levels: [{group: all, wrapper: gather}, {group: thread, wrapper: gather}]\n"
          "  here:\n    read: next\n    direct: true\n" +
          scope +
          "    levels: [{group: all, wrapper: gather}]\n"
          "  without:\n    read: next\n    threads: [a, b]\n    timeout: 5s\n"
          "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n");
}

class DynamicProcessesTest : public testing::Test {
 protected:
  DynamicProcessesTest() {
    plan = test::shared_plan(parse_plan(pathmap_with_dynamic(), "dynamic_processes_test.yaml"));
    for (const NodeIndex node : plan->nodes.indices()) start_server(node);
    consumer.emplace(plan);
  }

  void start_server(NodeIndex node) { servers[node.number()] = test::started_server(plan, node); }
  void restart_servers() {
    for (const NodeIndex node : plan->nodes.indices()) {
      servers.erase(node.number());
      start_server(node);
    }
  }

  static Session open(const std::string& process, const std::string& node) {
    return test::open_session(process, "mixed", node);
  }

  /// The result of a pull, without missing processes of the plan: "n1 q q/main: tick 1".
  std::vector<std::string> pull(EventScope& scope) {
    consumer->look();
    view = scope.pull({.deadline = Deadline::after(5s), .with_threads = true, .at = {}});
    std::vector<std::string> seen;
    for (const Missing& missing : view.missing) {
      if (missing.cause != MissingCause::no_segment)
        seen.push_back("missing " + missing.what + " " + missing.detail);
    }
    for_each_event(view.records,
                   [&](std::span<const TraceTuple> records) { seen.push_back(describe(records)); });
    return seen;
  }
  [[nodiscard]] std::string describe(std::span<const TraceTuple> records) const {
    const PlanNames& names = consumer->names();
    const RecordHeader header = header_of(records.back());
    const std::uint32_t process = process_of_local_id(header.path);
    const ObservedEvent event{records.back(), nullptr, records.first(records.size() - 1)};
    return std::string(names.node_of_process(process)) + " " + std::string(names.process_name(process)) +
           " " + std::string(names.thread_name(header.thread)) + ": " +
           std::string(FieldReader("probe").text(event, names).value_or("?")) + " " +
           std::to_string(static_cast<int>(FieldReader("value1").number(event).value_or(-1)));
  }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::map<std::size_t, std::unique_ptr<NodeServer>> servers;
  std::optional<Consumer> consumer;
  View view;
};

void tick(Session& session, int value) {
  session.thread("main");
  EVENTSPACE_PROBE("tick", value);
}

TEST_F(DynamicProcessesTest, AreReadThroughTheServersOfTheirNodes) {
  EventScope scope = consumer->open("all");
  Session first = open("q", "n1");
  tick(first, 1);
  Session second = open("q", "n2");
  tick(second, 2);
  EXPECT_THAT(pull(scope), UnorderedElementsAre("n1 q q/main: tick 1", "n2 q q/main: tick 2"));
  std::set<std::uint32_t> processes;
  for (const ProcessReport& process : view.processes) processes.insert(process.process);
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_THAT(pull(scope), IsEmpty());
}

TEST_F(DynamicProcessesTest, OfAnMpiJobHaveTheirRanksWhateverTheirNames) {
  EventScope scope = consumer->open("all");
  Session rank = Session::open("mixed", {.process = "solver", .node = "n1", .rank = 13, .job = 2});
  tick(rank, 1);
  Session other = open("app.7", "n1");
  tick(other, 2);
  EXPECT_THAT(pull(scope), SizeIs(2));
  std::map<std::string, std::optional<JobMember>> members;
  for (const ProcessReport& report : view.processes) {
    const PlanNames& names = consumer->names();
    members.emplace(std::string(names.process_name(report.process)), names.member_of_process(report.process));
  }
  EXPECT_EQ(members.at("solver"), (JobMember{2, 13}));
  EXPECT_EQ(members.at("app.7"), std::nullopt);
}

TEST_F(DynamicProcessesTest, OfANodeThatThePlanDoesNotHaveBelongToOneNodeOfTheirHost) {
  EventScope scope = consumer->open("all");
  Session session = open("q", "laptop");
  tick(session, 1);
  EXPECT_THAT(pull(scope), ElementsAre("laptop q q/main: tick 1"));
}

TEST_F(DynamicProcessesTest, AreReducedOnTheirNode) {
  EventScope scope = consumer->open("latest");
  Session session = open("q", "n1");
  for (const int value : {1, 2, 3}) tick(session, value);
  EXPECT_THAT(pull(scope), ElementsAre("n1 q q/main: tick 3"));
}

TEST_F(DynamicProcessesTest, ABoundedPullLeavesTheRestForTheNext) {
  EventScope scope = consumer->open("one-by-one");
  Session session = open("q", "n2");
  for (int value = 1; value <= 5; ++value) tick(session, value);
  std::vector<std::string> all;
  for (int pulls = 0; pulls < 20; ++pulls) {
    const auto some = pull(scope);
    EXPECT_LE(some.size(), 3u);
    all.insert(all.end(), some.begin(), some.end());
  }
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all.front(), "n2 q q/main: tick 1");
  EXPECT_EQ(all.back(), "n2 q q/main: tick 5");
}

TEST_F(DynamicProcessesTest, AreReadDirectlyByAConsumerOnTheirMachine) {
  servers.clear();
  EventScope scope = consumer->open("here");
  Session first = open("q", "n1");
  tick(first, 1);
  Session second = open("r", "laptop");
  tick(second, 2);
  EXPECT_THAT(pull(scope), UnorderedElementsAre("n1 q q/main: tick 1", "laptop r r/main: tick 2"));
}

TEST_F(DynamicProcessesTest, AreNotReadByAScopeThatDoesNotAsk) {
  EventScope scope = consumer->open("without");
  Session session = open("q", "n1");
  tick(session, 1);
  EXPECT_THAT(pull(scope), IsEmpty());
}

TEST_F(DynamicProcessesTest, KeepTheirNumbersWhenAllServersAreRestarted) {
  EventScope scope = consumer->open("all");
  Session first = open("q", "n1");
  tick(first, 1);
  Session second = open("q", "n2");
  tick(second, 2);
  ASSERT_EQ(pull(scope).size(), 2u);
  const Records before = view.records;
  (void)pull(scope);  // confirms the first view
  restart_servers();
  tick(second, 3);
  std::vector<std::string> after;
  test::eventually([&] {
    for (const std::string& event : pull(scope)) {
      if (!event.starts_with("missing")) after.push_back(event);
    }
    return !after.empty();
  });
  EXPECT_THAT(after, ElementsAre("n2 q q/main: tick 3"));  // nothing twice
  ASSERT_EQ(view.records.size(), 1u);
  const auto is_same_thread = [&](const TraceTuple& record) {
    return header_of(record).thread == header_of(view.records[0]).thread;
  };
  EXPECT_EQ(std::count_if(before.begin(), before.end(), is_same_thread), 1);
}

TEST_F(DynamicProcessesTest, AProcessWithThePathmapIsReadBesideThem) {
  EventScope scope = consumer->open("all");
  Session planned = Session::join(plan, "p0", Session::Options{});
  (void)planned.thread("a").path("send").write(Tuple::of({std::int64_t{1}}), Deadline::now());
  Session session = open("q", "n1");
  tick(session, 1);
  EXPECT_THAT(pull(scope), Contains("n1 q q/main: tick 1"));
  EXPECT_EQ(view.records.size(), 2u);
}

TEST_F(DynamicProcessesTest, CannotPretendToBeAThreadOfThePlan) {
  EventScope scope = consumer->open("all");
  Segment::Config config;
  config.identity = {"mixed", "n1", "liar", 0};
  config.clock = Clock::instance().calibration();
  Segment segment(config);
  const std::uint32_t own = *local_ids_of(dynamic_process) + 5;
  const std::uint32_t of_another = *local_ids_of(3) + 5;
  ASSERT_TRUE(segment.add_thread(own, 0));
  for (const std::uint32_t name : {std::uint32_t{0}, of_another, own})
    ASSERT_TRUE(segment.add_name({static_cast<std::uint16_t>(OwnNameOf::thread), name, "liar"}));
  ASSERT_TRUE(segment.add_name({static_cast<std::uint16_t>(OwnNameOf::process), 0, "root"}));
  const std::array traces{TraceSpec{"own", own, own, own, 0, 4}, TraceSpec{"plan's", 0, 0, own, 0, 4},
                          TraceSpec{"of another", of_another, of_another, own, 0, 4}};
  ASSERT_TRUE(segment.add_traces(traces));
  for (std::size_t i = 0; i < traces.size(); ++i) {
    TraceWriter writer = segment.writer(i);
    writer.begin(1, record_words::thread_path(0, of_another), record_words::kind(probe_kind, 0));
    writer.end(2, 0, 0, 0);
  }
  (void)pull(scope);
  ASSERT_EQ(view.records.size(), 1u);
  EXPECT_EQ(header_of(view.records[0]).thread, ~0U);
  EXPECT_EQ(header_of(view.records[0]).path, ~0U);
  EXPECT_EQ(consumer->names().thread_name(0), "a");
  EXPECT_EQ(consumer->names().thread_name(of_another), "?");
  EXPECT_EQ(consumer->names().process_name(0), "p0");
}

}  // namespace
}  // namespace eventspace
