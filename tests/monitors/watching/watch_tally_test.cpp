#include "monitors/watching/watch_tally.h"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>

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

// A late server reveals nothing about processes: the user is advised to wait, not to start the application.
TEST_F(WatchTallyTest, LateServersDoNotMeanThatNoProcessRuns) {
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

std::string printed(const WatchTally& tally, std::chrono::nanoseconds elapsed = std::chrono::seconds(2)) {
  std::ostringstream out;
  tally.print(out, elapsed);
  return out.str();
}

TEST_F(WatchTallyTest, PrintsNothingForZeroCounts) {
  tally.add({}, names);
  tally.add({}, names);
  tally.events = 12;
  EXPECT_EQ(printed(tally), "12 events in 2.0 s, 2 pulls (1.0 a second)\n");
  EXPECT_EQ(printed(tally, {}), "12 events, 2 pulls\n");
}

TEST_F(WatchTallyTest, PrintsLossWithASentenceForEachCause) {
  add(MissingCause::late);
  tally.events = 1;
  tally.loss = {.discarded = 3, .torn = 1, .filtered = 2, .reduced = 9, .repeated = 4, .earlier = 5};
  EXPECT_EQ(printed(tally),
            "1 event in 2.0 s, 1 pull (1 partial)\n"
            "3 records were discarded before they were read\n"
            "5 records were discarded before this monitor began\n"
            "1 record was torn: damaged, or overwritten while it was read\n"
            "2 records were left out by filters\n"
            "4 records were read twice, and count once\n"
            "missing at times: server of node n1 (late)\n");
}

TEST_F(WatchTallyTest, SaysInOneSentenceWhatWasLostAndChangesTheAnswer) {
  EXPECT_EQ(tally.incomplete(false), "");
  tally.loss = {.filtered = 2, .reduced = 9, .repeated = 4, .earlier = 5};
  EXPECT_EQ(tally.incomplete(false), "") << "it changes nothing";
  EXPECT_EQ(tally.incomplete(true), "incomplete: 5 records were discarded before the recording began");
  tally.loss.discarded = 3;
  tally.loss.torn = 1;
  tally.unread = 1;
  add(MissingCause::late);
  EXPECT_EQ(
      tally.incomplete(false),
      "incomplete: 3 records were discarded before they were read; 1 record was torn: damaged, or "
      "overwritten while it was read; 1 record that had ended was not read; missing at times: server of "
      "node n1 (late)");
}

TEST_F(WatchTallyTest, AProcessThatDoesNotRunIsNotMissed) {
  add(MissingCause::no_segment);
  EXPECT_EQ(tally.incomplete(false), "");
  EXPECT_THAT(printed(tally), testing::HasSubstr("missing at times: server of node n1 (no segment)"));
}

TEST_F(WatchTallyTest, OfManyMissingPartsThreeAreNamed) {
  for (const char* const node : {"n1", "n2", "n3", "n4", "n5"}) {
    View view;
    view.missing.push_back({node, std::string("server of node ") + node, MissingCause::no_answer, "", 1});
    tally.add(view, names);
  }
  EXPECT_THAT(tally.incomplete(false),
              testing::EndsWith("server of node n3 (no answer) and 2 more (--verbose "
                                "names all)"));
}

TEST_F(WatchTallyTest, ThinnedEventsAreToldBecauseTotalsAreTooLow) {
  View view;
  view.processes.emplace_back();
  tally.add(view, names);
  EXPECT_EQ(tally.thinned_text(), "");
  view.processes[0].collecting.period = 10;
  tally.add(view, names);
  view.processes[0].collecting.period = 0;
  tally.add(view, names);
  view.processes[0].collecting.period = 1;
  tally.add(view, names);
  const std::string text =
      "1 process did not record all events at times (1/10; off): counts, totals and rates of these events "
      "are too low";
  EXPECT_THAT(printed(tally), testing::HasSubstr(text + '\n'));
  EXPECT_EQ(tally.incomplete(false), "incomplete: " + text);
  for (const std::uint32_t period : {2, 3, 4, 5, 6}) {
    view.processes[0].collecting.period = period;
    tally.add(view, names);
  }
  EXPECT_THAT(tally.thinned_text(), testing::HasSubstr("; and others)"));
}

}  // namespace
}  // namespace eventspace
