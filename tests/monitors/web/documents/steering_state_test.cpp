#include "monitors/web/documents/steering.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <string>

#include "pathmaps/pathmap.h"

// The versions of the steering's state, without processes and servers.
namespace eventspace::web {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* steered_pathmap = R"(
pathmap: 1
name: pair
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application: {threads: [a], elements: [{name: box, tuple: [int]}], paths: [{thread: a, name: put, element: box, use: write}]}
placement: {processes: {p0: {node: n1, threads: [a]}}, elements: [{elements: box, process: p0}]}
collect: {points: [{at: thread}]}
)";

class SteeringState : public testing::Test {
 protected:
  SteeringState() {
    LoadResult loaded = parse_plan(steered_pathmap, "pair.yaml");
    watched.plan = std::make_shared<const Plan>(std::move(loaded.plan.value()));
    steering.begin(watched, 1s);
  }
  Answer order(int version, double seconds) {
    return steering.order("interval", fmt::format(R"({{"version": {}, "seconds": {}}})", version, seconds));
  }

  Watched watched;
  Steering steering{std::make_shared<Document>(), "progress", [] {}};
};

TEST_F(SteeringState, AnOrderFromTheStateOfAnotherRunIsStale) {
  EXPECT_EQ(order(1, 2).status, 200u);
  steering.end("the session has ended");
  const Answer late = order(2, 3);
  EXPECT_EQ(late.status, 409u);
  EXPECT_THAT(*late.body, HasSubstr("the session has ended"));
  steering.begin(watched, 1s);
  const Answer stale = order(2, 3);
  EXPECT_EQ(stale.status, 409u);
  EXPECT_THAT(*stale.body, HasSubstr("version 2 is now 3"));
  EXPECT_EQ(steering.interval(), 2s);
  EXPECT_EQ(order(3, 3).status, 200u);
  EXPECT_EQ(steering.interval(), 3s);
}

TEST_F(SteeringState, TheLogOfOrdersIsBoundedUntilItIsTaken) {
  for (int i = 1; i <= 100; ++i) ASSERT_EQ(order(i, i).status, 200u);
  const auto log = steering.take_log();
  ASSERT_EQ(log.size(), 64u);
  EXPECT_THAT(log.back(), HasSubstr("interval 1min 40s"));
  EXPECT_TRUE(steering.take_log().empty());
}

}  // namespace
}  // namespace eventspace::web
