#include "monitors/watching/watch_tally.h"

#include <gtest/gtest.h>

#include <memory>

#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace {
namespace {

constexpr const char* one_thread = R"(
pathmap: 1
name: one
cluster: {nodes: {n1: {}}}
application:
  threads: [a]
  elements: [{name: log, tuple: [int]}]
  paths: [{thread: a, name: log, element: log, use: write}]
placement: {processes: {p0: {node: n1, threads: a}}}
)";

class WatchTallyTest : public testing::Test {
 protected:
  WatchTallyTest()
      : names(std::make_shared<const Plan>(std::move(parse_plan(one_thread, "one.yaml").plan.value()))) {}

  void add(MissingCause cause) {
    View view;
    view.missing.push_back({"n1", "server of node n1", cause, "", 1});
    tally.add(view, names);
  }

  NamesOfPlan names;
  WatchTally tally;
};

// A server that is late says nothing about processes: the user is told to wait, not to start the application.
TEST_F(WatchTallyTest, ServersThatAreLateAreNoSignThatNoProcessRuns) {
  add(MissingCause::no_answer);
  EXPECT_EQ(tally.found(), Found::no_answer);
  add(MissingCause::no_segment);
  EXPECT_EQ(tally.found(), Found::no_process);
  add(MissingCause::no_answer);
  EXPECT_EQ(tally.found(), Found::no_process);
}

TEST_F(WatchTallyTest, AProcessThatWasSeenOnceHasStarted) {
  View view;
  view.processes.emplace_back();
  tally.add(view, names);
  add(MissingCause::no_answer);
  EXPECT_EQ(tally.found(), Found::processes);
  tally.loss.filtered = 1;
  EXPECT_EQ(tally.found(), Found::others);
}

}  // namespace
}  // namespace eventspace
