#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include <eventspace/session.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"

// Event collectors at each point of a path. Thread a of process p0 writes through two stages to element box,
// which is on the server of node n1.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::number;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class PointsSession : public testing::Test {
 protected:
  PointsSession() {
    plan = test::shared_plan(parse_plan(text(), "points_session_test.yaml"));
    server_.emplace(plan, NodeIndex(0), NodeServer::Options{});
    server_->start();
    session.emplace(Session::join(plan, "p0", Session::Options{}));
  }
  ~PointsSession() override {
    session.reset();
    server_.reset();
  }

  void write(std::int64_t value) {
    ASSERT_EQ(session->thread("a").path("out").write(number(value), Deadline::after(60s)), Status::ok);
  }
  static std::vector<EventRecord> pull(EventScope& scope) {
    std::vector<EventRecord> records;
    for (const TraceTuple& tuple : scope.pull({.deadline = Deadline::after(60s)}).records)
      records.push_back(decode(tuple));
    return records;
  }

  std::shared_ptr<const Plan> plan;
  std::optional<Session> session;

 private:
  static std::string text() {
    const auto scope = [](const std::string& at, const std::string& filter) {
      return "{read: next, timeout: 60s, at: " + at +
             ", levels: [{group: all, wrapper: gather}, {group: node, wrappers: [gather" + filter + "]}]}\n";
    };
    return "pathmap: 1\nname: points\ncluster: {nodes: {n1: {host: 127.0.0.1, port: " +
           std::to_string(test::free_port()) +
           "}}}\n"
           "application:\n  threads: [a]\n  elements: [{name: box, tuple: [int], when_full: discard}]\n"
           "  paths:\n    - thread: a\n      name: out\n      element: box\n"
           "      stages: [{delay: {for: 1ms}}, {delay: {for: 1ms}}]\n"
           "placement:\n  processes: {p0: {node: n1, threads: a}}\n"
           "  elements: [{elements: box, node: n1}]\n"
           "collect: {points: [{at: both}, {at: [after-1, after-2], add: true}]}\n"
           "scopes:\n"
           "  all: " +
           scope("[both, after-1, after-2]", "") + "  behind: " + scope("after-2", "") + "  filtered: " +
           scope("[both, after-1, after-2]",
                 ", {filter: {where: \"point == 'after-1' or point == 'element'\"}}");
  }

  test::SegmentDirectory directory_;
  std::optional<NodeServer> server_;
};

TEST_F(PointsSession, AnOperationIsRecordedAtEachPointWithinItsTimesAtThePointBefore) {
  write(7);
  Consumer consumer(plan);
  EventScope scope = consumer.open("all");
  std::vector<EventRecord> records = pull(scope);
  std::sort(records.begin(), records.end(),
            [](const EventRecord& one, const EventRecord& other) { return one.start < other.start; });
  std::vector<std::string_view> points;
  for (const EventRecord& record : records)
    points.push_back(to_string(static_cast<CollectPoint>(record.point)));
  ASSERT_THAT(points, ElementsAre("thread", "after-1", "after-2", "element"));
  for (std::size_t i = 1; i < records.size(); ++i) {
    EXPECT_GT(records[i].start, records[i - 1].start);
    EXPECT_LT(records[i].end, records[i - 1].end);
    EXPECT_EQ(records[i].sequence, 1U);
    EXPECT_EQ(records[i].verb, Verb::write);
    EXPECT_EQ(records[i].thread, records[0].thread);
  }
}

TEST_F(PointsSession, AScopeReadsOnePointBetweenStages) {
  Consumer consumer(plan);
  EventScope scope = consumer.open("behind");
  write(1);
  write(2);
  const std::vector<EventRecord> records = pull(scope);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].point, static_cast<std::uint16_t>(after_stage(2)));
  EXPECT_EQ(records[1].sequence, 2U);
}

TEST_F(PointsSession, ExpressionsCompareThePointWithItsWord) {
  Consumer consumer(plan);
  EventScope scope = consumer.open("filtered");
  write(1);
  std::vector<std::string_view> points;
  for (const EventRecord& record : pull(scope))
    points.push_back(to_string(static_cast<CollectPoint>(record.point)));
  EXPECT_THAT(points, UnorderedElementsAre("after-1", "element"));
}

}  // namespace
}  // namespace eventspace
