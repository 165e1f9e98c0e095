#include "monitors/top/model.h"

#include <gmock/gmock.h>

#include "monitors/top/thread_filter.h"
#include "pathmaps/pathmap.h"
#include "scopes/tree/newest_of_each.h"
#include "tests/error_text.h"
#include "tests/monitors/top/top_story.h"
#include "tests/pathmaps/valid_plan.h"

// The model of the live screen, with made-up samples.
namespace eventspace::top {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;
using testing_commands::TopStory;
using namespace std::chrono_literals;

constexpr const char* ring = R"(
pathmap: 1
name: ring
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}, n2: {host: 127.0.0.1, port: 7102}}}
application:
  threads: ["t[0-3]"]
  elements:
    - {name: "log/{thread}", for: "*", tuple: [int], threshold: 10, when_full: discard}
  generate:
    - neighbour-exchange: {threads: "t*", wrap: true, north: [n], south: [s], tuple: [int]}
  paths:
    - {thread: "*", name: log, element: "log/{thread}", use: write}
placement:
  processes:
    p0: {node: n1, port: 7201, threads: "t[0-1]"}
    p1: {node: n2, port: 7202, threads: "t[2-3]"}
collect:
  points: [{paths: "**", at: [thread]}, {paths: log, at: [thread, element], threshold: 50}]
scopes:
  heartbeat:
    at: [thread, element]
    levels: [{group: all, wrappers: [gather, {sort: {by: end}}]}, {group: node, wrapper: gather, timeout: 100ms},
             {group: thread, wrappers: [{reduce: {keep: latest}}, {filter: {longer_than: 1s}}]}]
)";

Plan plan_of(const char* text) { return test::valid_plan(parse_plan(text, "ring.yaml")); }

TopStory story() { return {plan_of(ring), "heartbeat"}; }

void expect_only_gather(const ScopeNode& node) {
  EXPECT_TRUE(node.wrapper == "gather" || node.wrapper == "read") << node.wrapper;
  EXPECT_TRUE(node.parameters.empty());
  for (const ScopeNode& child : node.children) expect_only_gather(child);
}

TEST(TopScope, IsTheGivenScopeWithoutFiltersAndReductions) {
  const Plan plan = plan_of(ring);
  ScopeTree given = *plan.find_scope("heartbeat");
  given.next = true;
  given.since = 1s;
  const ScopeTree tree = newest_of_each(given);
  EXPECT_FALSE(tree.next);
  EXPECT_FALSE(tree.since);
  EXPECT_EQ(count_sources(tree.root), count_sources(given.root));
  expect_only_gather(tree.root);
}

TEST(TopRates, CountAllEventsByTheirNumbersEvenIfFewAreKept) {
  TopStory told = story();
  told.at(0).counted("t0", "log", 1000, 0).look();
  EXPECT_EQ(told.thread("t0").rate.per_second, std::nullopt);
  told.at(2000).counted("t0", "log", 101'000, 1999).look();
  EXPECT_THAT(told.thread("t0").rate.per_second, Optional(DoubleNear(50'000, 0.001)));
  EXPECT_EQ(told.thread("t0").rate.events, 101'000U);
}

TEST(TopRates, AddUpOverPathsAndThreads) {
  TopStory told = story();
  told.at(0)
      .counted("t0", "log", 10, 0)
      .counted("t0", "send/north/n", 20, 0)
      .counted("t2", "log", 5, 0)
      .look();
  told.at(1000)
      .counted("t0", "log", 40, 990)
      .counted("t0", "send/north/n", 30, 990)
      .counted("t2", "log", 6, 990)
      .look();
  EXPECT_THAT(told.thread("t0").rate.per_second, Optional(DoubleNear(40, 0.001)));
  EXPECT_THAT(told.state().events_per_second, Optional(DoubleNear(41, 0.001)));
}

TEST(TopRates, AFirstEventCountsSinceThePreviousPull) {
  TopStory told = story();
  told.at(0).look();
  told.at(500).counted("t1", "log", 7, 490).look();
  EXPECT_THAT(told.thread("t1").rate.per_second, Optional(DoubleNear(14, 0.001)));
}

TEST(TopRates, AreTheMeanOverTheTimeThatAServerWasSilent) {
  TopStory told = story();
  told.at(0).counted("t2", "log", 0, 0).look();
  told.at(1000).counted("t2", "log", 100, 990).silent("n2").look();
  EXPECT_EQ(told.thread("t2").rate.per_second, std::nullopt);
  EXPECT_EQ(told.thread("t2").health.verdict, Verdict::unreachable);
  told.at(4000).counted("t2", "log", 400, 3990).look();
  EXPECT_THAT(told.thread("t2").rate.per_second, Optional(DoubleNear(100, 0.001)));
}

TEST(TopRates, AreUnknownAcrossARestartAndThenOfTheNewRun) {
  TopStory told = story();
  told.at(0).counted("t0", "log", 5000, 0).look();
  told.started_anew("p0").at(1000).counted("t0", "log", 30, 990).look();
  EXPECT_EQ(told.thread("t0").rate.per_second, std::nullopt);
  EXPECT_EQ(told.thread("t0").rate.events, 30U);
  told.at(2000).counted("t0", "log", 50, 1990).look();
  EXPECT_THAT(told.thread("t0").rate.per_second, Optional(DoubleNear(20, 0.001)));
}

TEST(TopModel, ShowsHowLongEventsAreKept) {
  TopStory told = story();
  told.at(0).counted("t0", "log", 0, 0).counted("t1", "send/north/n", 0, 0).look();
  told.at(1000).counted("t0", "log", 100, 990).counted("t1", "send/north/n", 100, 990).look();
  EXPECT_EQ(told.state().kept_for, 500ms);  // 50 of them, at 100 a second
  EXPECT_EQ(told.names().path_name(told.state().kept_by), "log");
  EXPECT_EQ(told.thread("t1").paths[0].kept_for, 2s);
}

TEST(TopModel, ShowsTheStateOfEachPath) {
  TopStory told = story();
  told.at(3000).counted("t0", "log", 3, 1000, 250).in_flight("t0", "receive/north/s", 1500).look();
  const ThreadState& thread = told.thread("t0");
  ASSERT_THAT(thread.paths, SizeIs(2));
  const PathState& log = thread.paths[told.names().path_name(thread.paths[0].path) == "log" ? 0 : 1];
  const PathState& receive = thread.paths[&log == &thread.paths[0] ? 1 : 0];
  EXPECT_EQ(log.took, 250us);
  EXPECT_EQ(log.ended_ago, 2s);
  EXPECT_EQ(receive.in_flight_for, 1500ms);
  EXPECT_FALSE(receive.last);
}

TEST(TopModel, ShowsTheShareOfAProcessor) {
  TopStory told = story();
  told.at(0).used("t0", 100).look();
  EXPECT_EQ(told.thread("t0").cpu_share, std::nullopt);
  told.at(2000).used("t0", 1100, 'R').look();
  EXPECT_THAT(told.thread("t0").cpu_share, Optional(DoubleNear(0.5, 0.001)));
  EXPECT_EQ(told.thread("t0").kernel_state, 'R');
  EXPECT_EQ(told.thread("t0").cpu, 1100ms);
}

/// A view of thread t0 of process p0; its path `log` has had this many events at each of its points.
View recorded_at_each_point(const Plan& plan, std::uint64_t events, std::uint64_t now_ticks) {
  View view;
  const PathIndex path = plan.paths.index_of(*std::ranges::find_if(plan.paths, [&](const PathPlan& of) {
    return of.name == "log" && of.thread == plan.find_thread("t0");
  }));
  for (const TraceIndex trace : plan.paths[path].traces) {
    EventRecord record;
    record.sequence = events;
    record.path = path.number32();
    record.point = static_cast<std::uint16_t>(plan.traces[trace].point);
    record.start = now_ticks - 2;
    record.end = now_ticks - 1;
    view.records.push_back(encode(record));
  }
  ProcessReport& process = view.processes.emplace_back();
  process.pid = 100;
  process.start_ticks = 1;
  process.now_ticks = now_ticks;
  process.clock.ns_per_tick = 1;
  return view;
}

TEST(TopModel, AnOperationThatIsRecordedAtSeveralPointsOfItsPathCountsOnce) {
  std::string text(ring);
  const auto put = [&text](const std::string& before, const std::string& after) {
    text.replace(text.find(before), before.size(), after);
  };
  put("use: write}", "use: write, stages: [{delay: {for: 1ms}}]}");
  put("{paths: log, at: [thread, element]", "{paths: log, at: [both, after-delay]");
  put("at: [thread, element]\n    levels", "at: [both, after-1]\n    levels");
  const auto plan = std::make_shared<const Plan>(plan_of(text.c_str()));
  const NamesOfPlan names(plan);
  Model model(*plan, names, *plan->find_scope("heartbeat"), 2s);
  for (const std::uint64_t second : {1, 2}) {
    Sample sample;
    sample.view = recorded_at_each_point(*plan, 100 * second, second * 1'000'000'000);
    sample.at = std::chrono::steady_clock::time_point(std::chrono::seconds(second));
    model.observe(sample);
  }
  const ThreadState& thread = model.state().threads.at(0);
  ASSERT_THAT(thread.paths, SizeIs(3));
  EXPECT_EQ(to_string(static_cast<CollectPoint>(thread.paths[2].point)), "after-1");
  EXPECT_EQ(thread.rate.events, 200u);
  EXPECT_THAT(thread.rate.per_second, Optional(DoubleNear(100, 0.1)));
}

TEST(TopModel, MarksTheCulprit) {
  TopStory told = story();
  told.at(9000).counted("t1", "log", 5, 1000).in_flight("t0", "receive/south/n", 1500);
  told.counted("t2", "log", 1, 8999).counted("t3", "log", 1, 8999).look();
  EXPECT_TRUE(told.thread("t1").is_culprit);
  EXPECT_EQ(told.thread("t1").waiting, 1U);
  EXPECT_FALSE(told.thread("t0").is_culprit);
}

TEST(TopModel, CountsMissingPartsAndLosses) {
  TopStory told = story();
  told.at(0).lost(2).silent("n2").look();
  told.at(1000).lost(1).look();
  EXPECT_EQ(told.state().loss.torn, 3U);
  EXPECT_EQ(told.state().pulls, 2U);
  EXPECT_EQ(told.state().partial, 1U);
  EXPECT_EQ(told.state().servers_in_scope, 2U);
  EXPECT_EQ(told.state().servers_silent, 0U);
}

TEST(TopModel, SawNothingIfNoPullWasCompleteAndNoneHadAnEvent) {
  TopStory told = story();
  told.at(0).silent("n1").silent("n2").look();
  EXPECT_TRUE(told.model().saw_nothing());
  told.at(1).look();
  EXPECT_FALSE(told.model().saw_nothing());
}

TEST(TopModel, ShowsTheTimeOfEachPartInTheOrderOfTheTree) {
  TopStory told = story();
  told.at(0).took("node n2", 2ms).took("node n1", 1ms).took("all", 5ms).look();
  told.at(1).took("node n2", 4ms).took("node n1", 1ms).took("all", 7ms).look();
  ASSERT_THAT(told.state().parts, SizeIs(3));
  EXPECT_EQ(told.state().parts[0].name, "all");
  EXPECT_EQ(told.state().parts[1].name, "node n1");
  EXPECT_EQ(told.state().parts[2].last, 4ms);
  EXPECT_EQ(told.state().parts[2].mean, 3ms);
  EXPECT_EQ(told.state().parts[2].longest, 4ms);
}

TEST(TopModel, ShowsTheRatesOfServersSinceThePreviousLook) {
  TopStory told = story();
  wire::ServerReport report;
  report.pid = 17;
  report.requests = 100;
  told.at(0).server("n1", {Answer::answered, report, 90us}).server("n2", {}).look();
  EXPECT_EQ(told.state().servers[0].requests_per_second, std::nullopt);
  report.requests = 150;
  told.at(500).server("n1", {Answer::answered, report, 90us}).look();
  EXPECT_THAT(told.state().servers[0].requests_per_second, Optional(DoubleNear(100, 0.001)));
  EXPECT_EQ(told.state().servers[1].sample.answer, Answer::silent);
}

TEST(TopModel, ShowsTheCostOfWatchingSinceThePreviousLook) {
  TopStory told = story();
  told.at(0).look();
  told.at(1000).look();
  EXPECT_THAT(told.state().watching.pulls_per_second, DoubleNear(1, 0.001));
  EXPECT_THAT(told.state().watching.cpu_share, DoubleNear(0.004, 0.0001));
  EXPECT_THAT(told.state().watching.bytes_per_second, DoubleNear(129'000, 1));
  EXPECT_EQ(told.state().watching.pull, 3100us);
}

// --- filters ---

std::vector<std::string> shown_by(const ThreadFilter& filter, const TopStory& told) {
  std::vector<std::string> shown;
  for (const ThreadState& thread : told.state().threads) {
    if (filter.shows(thread, told.state()))
      shown.emplace_back(told.names().thread_name(thread.health.thread));
  }
  return shown;
}

TEST(TopFilter, IsAGlobOverNamesOrAnExpressionOverTheLastEvents) {
  TopStory told = story();
  told.at(3000)
      .counted("t0", "log", 3, 1000, 30'000)
      .counted("t1", "log", 3, 1000, 10)
      .in_flight("t2", "log", 2000);
  told.look();
  EXPECT_THAT(shown_by({}, told), ElementsAre("t0", "t1", "t2", "t3"));
  EXPECT_THAT(shown_by({"t[1-2]", told.names()}, told), ElementsAre("t1", "t2"));
  EXPECT_THAT(shown_by({"duration > 20ms", told.names()}, told), ElementsAre("t0"));
  EXPECT_THAT(shown_by({"in_flight", told.names()}, told), ElementsAre("t2"));
  EXPECT_THAT(shown_by({"node == 'n2' and age > 500ms", told.names()}, told), ElementsAre("t2"));
}

TEST(TopFilter, ReportsItsFaults) {
  const TopStory told = story();
  const auto fault_of = [&](const std::string& text) -> std::string {
    return test::error_text<ConfigurationError>([&] { const ThreadFilter filter(text, told.names()); });
  };
  EXPECT_THAT(fault_of("duration > 20"), HasSubstr("column"));
  EXPECT_THAT(fault_of("t[3"), HasSubstr("glob 't[3'"));
  EXPECT_THAT(fault_of("durtion > 20ms"), HasSubstr("durtion"));
}

}  // namespace
}  // namespace eventspace::top
