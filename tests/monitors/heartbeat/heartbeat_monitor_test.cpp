#include "monitors/heartbeat/heartbeat_monitor.h"

#include <gmock/gmock.h>

#include <memory>
#include <sstream>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "tests/monitors/watching/test_timeline.h"

// Tests the heartbeat with made-up views, on a timeline that the test moves, without processes, sockets or
// waits.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::TestTimeline;
using test::TestViews;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* pathmap_of_pair = R"(
pathmap: 1
name: pair
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application:
  threads: [a, b]
  elements: [{name: "log/{thread}", for: "*", tuple: [int]}]
  paths: [{thread: "*", name: log, element: "log/{thread}", use: write}]
placement: {processes: {p0: {node: n1, threads: "*"}}}
collect: {points: [{at: thread}]}
scopes: {heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}}
)";

/// Both threads have an event at every instant, until the last event of thread b.
class HeartbeatMonitorTest : public testing::Test {
 protected:
  HeartbeatMonitorTest() {
    LoadResult loaded = parse_plan(pathmap_of_pair, "pair.yaml");
    plan = std::make_shared<const Plan>(std::move(loaded.plan.value()));
    names = std::make_unique<NamesOfPlan>(plan);
  }

  static std::uint64_t ticks(nanoseconds time) { return static_cast<std::uint64_t>((100s + time).count()); }

  [[nodiscard]] View look() const {
    View view;
    ProcessReport report;
    report.pid = 100;
    report.now_ticks = ticks(timeline.elapsed());
    report.threads = {{0, 1000, 'S', 0}, {1, 1001, 'S', 0}};
    view.processes.push_back(report);
    add_event(view, 0, timeline.elapsed());
    add_event(view, 1, std::min(timeline.elapsed(), last_of_b));
    return view;
  }
  static void add_event(View& view, std::uint32_t thread, nanoseconds ended) {
    EventRecord record;
    record.sequence = 7;
    record.thread = record.path = thread;
    record.start = ticks(ended) - 1000;
    record.end = ticks(ended);
    record.status = Status::ok;
    view.records.push_back(encode(record));
  }

  HeartbeatMonitor monitor(const HeartbeatMonitor::Settings& settings) {
    return {*plan, *names, *plan->find_scope("heartbeat"), 1s, settings, views, timeline, out};
  }

  std::shared_ptr<const Plan> plan;
  std::unique_ptr<PlanNames> names;
  TestTimeline timeline;
  TestViews views{[this] { return look(); }};
  std::ostringstream out;
  nanoseconds last_of_b = 24h;
};

TEST_F(HeartbeatMonitorTest, AStallIsFoundInTheFirstPullAfterTheStallTime) {
  last_of_b = 3500ms;
  HeartbeatMonitor heartbeat = monitor({.pace = {.stall = 2s}, .until_stall = true});
  heartbeat.watch();
  EXPECT_EQ(timeline.elapsed(), 6s);
  EXPECT_EQ(heartbeat.report().stalled, 1u);
  EXPECT_EQ(heartbeat.report().threads[1].verdict, Verdict::blocked);
  EXPECT_EQ(heartbeat.report().threads[1].silent_for, 2500ms);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("  5.0s  2 threads"), HasSubstr("  6.0s  2 threads")));
}

// Like a replay that skips long pauses: the verdicts follow its timeline.
TEST_F(HeartbeatMonitorTest, AStallOfDaysIsFoundAtOnceOnATimelineThatJumps) {
  last_of_b = 1s;
  HeartbeatMonitor heartbeat = monitor({.pace = {.stall = 24h, .interval = 30h}, .until_stall = true});
  heartbeat.watch();
  EXPECT_EQ(timeline.elapsed(), 30h);
  EXPECT_EQ(heartbeat.report().threads[1].silent_for, 30h - 1s);
}

/// Returns a stack that names the requested thread and process, or refuses.
class MadeUpStacks final : public StackSource {
 public:
  ThreadStack stack_of(const ProcessReport& process, std::int32_t tid) override {
    if (!refusal.empty()) throw EnvironmentError(refusal);
    asked.emplace_back(process.pid, tid);
    return {{{0x10, "relax", "solver.cpp:88", "/app"}, {0x20, "main", "", "/app"}}, is_whole, 60us};
  }

  std::vector<std::pair<std::int32_t, std::int32_t>> asked;
  std::string refusal;
  bool is_whole{true};
};

TEST_F(HeartbeatMonitorTest, OnlyTheStackOfTheCulpritIsShown) {
  last_of_b = 3500ms;
  MadeUpStacks stacks;
  HeartbeatMonitor heartbeat = monitor({.pace = {.stall = 2s}, .until_stall = true});
  heartbeat.show_stacks(stacks);
  heartbeat.watch();
  EXPECT_THAT(stacks.asked, testing::ElementsAre(std::pair(100, 1001)));
  EXPECT_THAT(out.str(), HasSubstr("b is in relax (solver.cpp:88)\n           called by main in app\n"));
  EXPECT_THAT(out.str(), HasSubstr("(stopped for 60us to read its stack)"));
}

TEST_F(HeartbeatMonitorTest, AnUnknownStackIsReported) {
  last_of_b = 3500ms;
  MadeUpStacks stacks;
  stacks.refusal = "it belongs to another user";
  HeartbeatMonitor heartbeat = monitor({.pace = {.stall = 2s}, .until_stall = true, .format = Format::json});
  heartbeat.show_stacks(stacks);
  heartbeat.watch();
  EXPECT_THAT(out.str(), HasSubstr(R"("stacks":[{"thread":"b","refusal":"it belongs to another user",)"
                                   R"("stopped_ns":null,"whole":false,"frames":[]}])"));
}

TEST_F(HeartbeatMonitorTest, ATruncatedStackIsMarked) {
  last_of_b = 3500ms;
  MadeUpStacks stacks;
  stacks.is_whole = false;
  HeartbeatMonitor heartbeat = monitor({.pace = {.stall = 2s}, .until_stall = true});
  heartbeat.show_stacks(stacks);
  heartbeat.watch();
  EXPECT_THAT(out.str(), HasSubstr("called by unknown functions"));
}

TEST(StacksHere, AProcessOfAnotherMachineIsRefused) {
  StacksHere stacks;
  ProcessReport process;
  process.pid = 1;  // here it has started at another time
  process.start_ticks = 1;
  EXPECT_THROW(stacks.stack_of(process, 1), EnvironmentError);
  process.pid = 4194304;
  EXPECT_THROW(stacks.stack_of(process, 1), EnvironmentError);
}

TEST_F(HeartbeatMonitorTest, AServerThatIsLateOnceIsNotAStallButAMissingServerIs) {
  TestViews late{[this] {
    const nanoseconds now = timeline.elapsed();
    if (now != 1s && now < 5s) return look();
    View view;
    view.missing.push_back({"n1", "server of node n1", MissingCause::no_answer, "", 2});
    return view;
  }};
  HeartbeatMonitor heartbeat(*plan, *names, *plan->find_scope("heartbeat"), 1s,
                             {.pace = {.stall = 3s, .interval = 1s}, .until_stall = true}, late, timeline,
                             out);
  heartbeat.watch();
  EXPECT_EQ(timeline.elapsed(), 8s);
  EXPECT_EQ(heartbeat.report().stalled, 2u);
}

TEST_F(HeartbeatMonitorTest, PrintsTheRateOfPullsOnItsTimeline) {
  HeartbeatMonitor heartbeat = monitor({.pace = {.interval = 500ms}, .count = 11});
  heartbeat.watch();
  std::ostringstream rate;
  heartbeat.conclude(rate, true, {});
  EXPECT_THAT(rate.str(), StartsWith("11 pulls in 5.0 s (2.2 a second), 0 partial\ncost of watching: "));
  EXPECT_THAT(timeline.pauses(), Each(500ms));
}

TEST_F(HeartbeatMonitorTest, EndsWithTheFirstPullAfterItsTime) {
  HeartbeatMonitor heartbeat = monitor({.pace = {.interval = 500ms}, .duration = 1600ms});
  heartbeat.watch();
  EXPECT_EQ(timeline.elapsed(), 2s);
  std::ostringstream rate;
  heartbeat.conclude(rate, true, {});
  EXPECT_THAT(rate.str(), HasSubstr("5 pulls in 2.0 s"));
}

TEST_F(HeartbeatMonitorTest, APullThatTakesTimeIsPartOfTheInterval) {
  TestViews slow{[this] {
    timeline.advance(300ms);
    return look();
  }};
  HeartbeatMonitor(*plan, *names, *plan->find_scope("heartbeat"), 1s, {.count = 3}, slow, timeline, out)
      .watch();
  EXPECT_THAT(timeline.pauses(), Each(700ms));
  EXPECT_EQ(slow.asked_at()[1] - slow.asked_at()[0], 1s);
}

TEST_F(HeartbeatMonitorTest, ColoursVerdictsAndStallsOnlyInTextAndOnRequest) {
  last_of_b = -5s;
  monitor({.has_colour = true}).look_once();
  EXPECT_THAT(out.str(), AllOf(HasSubstr("2 threads: \x1b[32m1 running\x1b[0m, \x1b[1;31m1 blocked"),
                               HasSubstr("\x1b[1;31mSTALL at b: "),
                               HasSubstr("; no other thread waits for it\x1b[0m\n")));
  for (const Format format : {Format::json, Format::csv}) {
    out.str("");
    monitor({.format = format, .has_colour = true}).look_once();
    EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
  }
}

TEST_F(HeartbeatMonitorTest, OnceMeansTwoPulls) {
  last_of_b = -5s;
  HeartbeatMonitor heartbeat = monitor({});
  heartbeat.look_once();
  EXPECT_EQ(timeline.elapsed(), 250ms);
  EXPECT_EQ(heartbeat.report().stalled, 1u);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("250ms  2 threads"), Not(HasSubstr("0ns"))));
}

}  // namespace
}  // namespace eventspace
