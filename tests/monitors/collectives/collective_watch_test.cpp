// Reports on collective operations of real sessions, through real servers with arbitrary clocks: eight
// threads in four processes on two nodes. All of them run in this process, so the ticks in the records are of
// one counter and give the true times. Each test runs twice: the monitor reads all records, or the results
// that the nodes compute.
#include "monitors/collectives/collective_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <map>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/collectives/collective_text.h"
#include "monitors/top/collectives.h"
#include "monitors/watching/watch_cost.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "scopes/tree/newest_of_each.h"
#include "tests/error_text.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/scopes/gathering/odd_clock.h"
#include "tests/tuplespace/segment_directory.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::OddClock;
using testing::ElementsAre;
using testing::HasSubstr;
using Operation = CollectiveWatch::Operation;

constexpr int watched_threads = 8;

/// It has the wrapper's name.
std::string scope_with(const std::string& wrapper) {
  return "  " + wrapper +
         ":\n    threads: \"**\"\n    at: [thread, element]\n    read: next\n    timeout: 5s\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: " +
         wrapper + "}]\n";
}

/// Threads t0 to t`threads` - 1 in equal parts in processes p0 to p3.
std::string watched_pathmap(const std::string& points, int threads = watched_threads) {
  const auto port = [] { return std::to_string(test::free_port()); };
  std::string text = "pathmap: 1\nname: watched\ncluster:\n  nodes:\n";
  for (const char* const node : {"n1", "n2"})
    text += "    " + std::string(node) + ": {host: 127.0.0.1, port: " + port() + "}\n";
  text += "application:\n  threads: [\"t[0-" + std::to_string(threads - 1) +
          "]\"]\n  collectives:\n"
          "    sum: {kind: all-reduce, threads: \"*\", tuple: int, combine: sum,\n"
          "          levels: [{group: all, on: n2}, {group: node, on: server}, {group: process}]}\n"
          "placement:\n  processes:\n";
  for (int i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    text += "    p" + number + ": {node: " + (i < 2 ? "n1" : "n2") + ", port: " + port() + ", threads: \"t[" +
            std::to_string(threads / 4 * i) + "-" + std::to_string(threads / 4 * (i + 1) - 1) + "]\"}\n";
  }
  return text + "collect:\n  points: " + points + "\nscopes:\n" + scope_with("gather") +
         scope_with("collective");
}

/// The kind of scope: of records, or of results.
class CollectiveWatchTest : public testing::TestWithParam<const char*> {
 protected:
  ~CollectiveWatchTest() override { leave(); }

  void load(const std::string& points = "[{at: [thread, element]}]", int threads = watched_threads) {
    plan = test::shared_plan(parse_plan(watched_pathmap(points, threads), "collective_watch_test.yaml"));
    for (const NodeIndex node : plan->nodes.indices()) {
      // If ticks are CLOCK_MONOTONIC, they belong to the clock of the machine, so the nodes must show that
      // clock.
      const NodeClock clock = Clock::instance().uses_tsc() ? clocks[node.number()].clock() : NodeClock();
      servers.push_back(std::make_unique<NodeServer>(plan, node, NodeServer::Options{{}, clock}));
      servers.back()->start();
    }
    consumer.emplace(plan);
    scope.emplace(consumer->open(GetParam()));
    records.emplace(consumer->open("gather"));
    newest.emplace(consumer->open(newest_of_each(scope->tree())));
    watch.emplace(*plan, consumer->names(), scope->tree());
  }
  /// All processes join; each thread ti calls `before(i, number)` ahead of each of its operations.
  using Before = std::function<void(int i, std::uint64_t number)>;
  void join(const Before& before = {}) {
    for (const ProcessPlan& process : plan->processes)
      sessions.push_back(Session::join(plan, process.name, Session::Options{}));
    for (Session& session : sessions) {
      for (const std::string& name : session.threads())
        members.emplace_back([this, &session, name, before] { take_part(session.thread(name), before); });
    }
  }
  void take_part(SessionThread& me, const Before& before) {
    Path& path = me.path("sum");
    bool goes_on = true;
    for (std::uint64_t number = 1; goes_on; ++number) {
      while (allowed < number && !is_over) allowed.wait(number - 1);
      if (is_over) return;
      if (before) before(std::stoi(me.name().substr(1)), number);
      goes_on = static_cast<bool>(path.exchange(Tuple::of({std::int64_t{1}})));
      ++done;
    }
  }
  /// Lets the threads continue until they have done `operations` operations.
  void allow(std::uint64_t operations) {
    for (std::uint64_t now = allowed + 1; now <= operations; ++now) {
      allowed = now;
      allowed.notify_all();
    }
  }
  /// Calls allow() and waits until the threads have done them.
  void operate(std::uint64_t operations) {
    allow(operations);
    EXPECT_TRUE(test::eventually([&] { return done >= operations * plan->thread_count(); }));
  }
  /// Ends the application, which can join again.
  void leave() {
    is_over = true;
    allow(allowed + 1);
    for (Session& session : sessions) session.close();
    members.clear();
    sessions.clear();
    is_over = false;
    allowed = done = 0;
  }

  /// Pulls once and keeps the reports.
  void look() {
    view = scope->pull({.deadline = Deadline::after(patience)});
    loss += view.loss;
    if (servers[0] != nullptr) learn_truth();
    for (Operation& operation : watch->observe(view, std::chrono::steady_clock::now()))
      told.push_back(std::move(operation.report));
    if (servers[0] != nullptr)
      watch->observe_under_way(newest->pull({.deadline = Deadline::after(patience), .with_threads = false}));
  }
  bool look_until(const std::function<bool()>& enough) {
    return test::eventually([&] {
      look();
      return enough();
    });
  }
  void learn_truth() {
    for (const TraceTuple& tuple : records->pull({.deadline = Deadline::after(patience)}).records)
      learn(decode(tuple));
  }
  void learn(const EventRecord& record) {
    const auto edge = watch->collective(0).shape.edge_of_path.at(record.path);
    if (record.in_flight() || record.point != 0 || !watch->collective(0).shape.edges[edge].is_thread())
      return;
    truth[record.parameter][edge] = record.start;
  }

  /// The edge that truly came last, and its lag.
  struct Last {
    std::size_t edge{0};
    double after_second_ns{0};
  };
  [[nodiscard]] Last truly_last(std::uint64_t number) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> starts;
    for (const auto& [edge, start] : truth.at(number)) starts.emplace_back(start, edge);
    std::sort(starts.rbegin(), starts.rend());
    return {starts[0].second, Clock::instance().calibration().ns_between(starts[1].first, starts[0].first)};
  }
  [[nodiscard]] std::string name_of(std::size_t edge) const {
    return watch->collective(0).shape.edges[edge].name;
  }
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::size_t>& edges) const {
    std::vector<std::string> names;
    names.reserve(edges.size());
    for (const std::size_t edge : edges) names.push_back(name_of(edge));
    std::sort(names.begin(), names.end());
    return names;
  }
  /// The maximum error of the reported times of threads.
  static double error_of(const OperationReport& report) {
    return report.last.after_first ? static_cast<double>(report.last.after_first->error_ns) : 0;
  }
  /// Expects that no name is wrong and that the reported lag is within its error.
  void expect_true(const OperationReport& report) const {
    const Last last = truly_last(report.number);
    if (report.last.name()) {
      EXPECT_EQ(name_of(*report.last.name()), name_of(last.edge)) << report.number;
    }
    if (!report.last.name() || !report.last.after_second) return;
    const Difference& said = *report.last.after_second;
    constexpr double rounding_ns = 20;  // of the true times
    EXPECT_NEAR(static_cast<double>(said.ns), last.after_second_ns,
                static_cast<double>(said.error_ns) + rounding_ns)
        << report.number;
  }

  static void expect_near(const TimeSum& a, const TimeSum& b, const std::string& what) {
    EXPECT_EQ(a.count, b.count) << what;
    EXPECT_NEAR(a.ns, b.ns, a.error_ns + b.error_ns) << what;
  }
  static void expect_same_totals(const CollectiveWatch::Collective& a, const CollectiveWatch::Collective& b) {
    for (std::size_t edge = 0; edge < a.shape.edges.size(); ++edge) {
      const std::string& name = a.shape.edges[edge].name;
      expect_near(a.totals.stages()[edge].up, b.totals.stages()[edge].up, name + " up");
      expect_near(a.totals.stages()[edge].down, b.totals.stages()[edge].down, name + " down");
      expect_near(a.totals.stages()[edge].both, b.totals.stages()[edge].both, name + " both");
      expect_near(a.totals.threads()[edge].waited, b.totals.threads()[edge].waited, name + " waited");
    }
    for (std::size_t joint = 0; joint < a.shape.joints.size(); ++joint) {
      const std::string& name = a.shape.joints[joint].name;
      expect_near(a.totals.joints()[joint].gathering, b.totals.joints()[joint].gathering,
                  name + " gathering");
      expect_near(a.totals.joints()[joint].passing_up, b.totals.joints()[joint].passing_up,
                  name + " passing");
      expect_near(a.totals.joints()[joint].above, b.totals.joints()[joint].above, name + " above");
      expect_near(a.totals.joints()[joint].handing_down, b.totals.joints()[joint].handing_down,
                  name + " down");
    }
  }

  test::SegmentDirectory directory;
  OddClock clocks[2]{{5'000'000'000, 40, 71}, {-3'000'000'000, -60, 72}};
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
  std::optional<Consumer> consumer;
  std::optional<EventScope> scope, newest;
  std::optional<EventScope> records;  // the truth
  std::optional<CollectiveWatch> watch;
  std::vector<Session> sessions;
  std::atomic<std::uint64_t> allowed{0}, done{0};
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> members;
  std::chrono::nanoseconds patience{5s};
  View view;
  Loss loss;
  std::vector<OperationReport> told;
  std::map<std::uint64_t, std::map<std::size_t, std::uint64_t>> truth;  // starts by number and edge
};

INSTANTIATE_TEST_SUITE_P(Scope, CollectiveWatchTest, testing::Values("gather", "collective"),
                         [](const auto& given) { return std::string(given.param); });

// --- late threads --------------------------------------------------------------------------------------

TEST_P(CollectiveWatchTest, ADelayedThreadIsNamedWithItsDelay) {
  constexpr std::uint64_t operations = 120;
  const auto delay = [](std::uint64_t number) {
    constexpr std::chrono::microseconds delays[] = {0us, 50us, 500us, 3000us};
    return delays[number % 4];
  };
  const auto victim = [](std::uint64_t number) { return static_cast<int>(number / 4 * 3 % watched_threads); };
  load();
  join([&](int i, std::uint64_t number) {
    if (i == victim(number)) std::this_thread::sleep_for(delay(number));
  });
  look();  // compares the clocks before the first operation
  operate(operations);
  ASSERT_TRUE(look_until([&] { return told.size() == operations; }));
  std::size_t delayed = 0, clear = 0;
  for (const OperationReport& report : told) {
    EXPECT_EQ(report.state, OperationState::complete);
    expect_true(report);
    // Judged by the true times, because the machine may have delayed another thread even more.
    const Last last = truly_last(report.number);
    const bool is_victim = name_of(last.edge) == "t" + std::to_string(victim(report.number));
    if (delay(report.number) == 0us || !is_victim) continue;
    ++delayed;
    if (last.after_second_ns < 2 * error_of(report)) continue;
    ++clear;
    EXPECT_EQ(report.last.name(), last.edge) << report.number;
  }
  EXPECT_GT(delayed, operations / 8);
  EXPECT_GT(clear, operations / 16);
}

TEST_P(CollectiveWatchTest, ThreadsThatComeTogetherAreNotDistinguishedWrongly) {
  std::barrier together(watched_threads);
  load();
  join([&](int, std::uint64_t) { together.arrive_and_wait(); });
  for (std::uint64_t operations = 100; operations <= 400; operations += 100) {
    operate(operations);
    ASSERT_TRUE(look_until([&] { return told.size() == operations; }));
  }
  for (const OperationReport& report : told) expect_true(report);
}

TEST_P(CollectiveWatchTest, ClocksThatJumpMakeNoWrongName) {
  load();
  join();
  look();
  for (std::uint64_t round = 0; round < 12; ++round) {
    operate(10 * round + 5);
    clocks[round % 2].step(round % 3 == 0 ? -700ms : 400ms);
    operate(10 * round + 10);
    if (round % 4 != 3) look();
  }
  ASSERT_TRUE(look_until([&] { return told.size() == 120; }));
  for (const OperationReport& report : told) expect_true(report);
}

// --- operations that do not end ------------------------------------------------------------------------

TEST_P(CollectiveWatchTest, AContributionThatDoesNotComeIsMissedByName) {
  std::atomic<bool> may_come{false};
  load();
  join([&](int i, std::uint64_t number) {
    while (i == 6 && number == 4 && !may_come && !is_over) std::this_thread::yield();
  });
  allow(4);
  const auto open_one = [&]() -> std::optional<OperationReport> {
    const auto open = watch->open();
    return open.size() == 1 ? std::optional(open[0].report) : std::nullopt;
  };
  ASSERT_TRUE(look_until([&] {
    const auto open = open_one();
    // Operations under way are pulled after ended ones and may be newer.
    return open && open->number == 4 && open->absent.size() == 1 && told.size() == 3;
  }));
  const auto open = open_one();
  EXPECT_EQ(open->state, OperationState::open);
  EXPECT_THAT(names_of(open->absent), ElementsAre("t6"));
  may_come = true;
  ASSERT_TRUE(look_until([&] { return told.size() == 4; }));
  EXPECT_EQ(told.back().state, OperationState::complete);
  EXPECT_EQ(names_of(told.back().last.candidates), std::vector<std::string>{"t6"});
  EXPECT_TRUE(watch->open().empty());
}

TEST_P(CollectiveWatchTest, AnOperationWhoseTreeLostANodeIsBroken) {
  std::atomic<bool> is_lost{false};
  load();
  join([&](int i, std::uint64_t number) {
    while (i < 4 && number == 6 && !is_lost && !is_over) std::this_thread::yield();
  });
  allow(6);
  ASSERT_TRUE(look_until([&] {
    const auto open = watch->open();
    return told.size() == 5 && open.size() == 1 && open[0].report.absent.size() == 4;
  }));
  servers[0].reset();
  patience = 2s;
  is_lost = true;
  EXPECT_TRUE(
      test::eventually([&] { return done == std::size_t{6} * watched_threads; }));  // broken for all threads
  look();
  EXPECT_FALSE(view.missing.empty());
  ASSERT_TRUE(look_until([&] { return told.size() == 6; }));
  const OperationReport& broken = told.back();
  EXPECT_EQ(broken.number, 6u);
  EXPECT_EQ(broken.state, OperationState::broken);
  EXPECT_GT(broken.missing, 0u);
  EXPECT_THAT(names_of(broken.absent), ElementsAre("t0", "t1", "t2", "t3"));
  EXPECT_EQ(watch->collective(0).totals.broken(), 1u);
}

// --- losses --------------------------------------------------------------------------------------------

TEST_P(CollectiveWatchTest, OverwrittenRecordsMakeOperationsIncompleteAndAreCounted) {
  load("[{at: [thread, element]}, {threads: \"t[0-3]\", at: [thread, element], threshold: 10}]");
  join();
  operate(5);
  ASSERT_TRUE(look_until([&] { return told.size() == 5; }));
  operate(105);
  ASSERT_TRUE(look_until([&] { return told.size() >= 105; })) << told.size();
  std::uint64_t incomplete = 0, missing = 0;
  for (const OperationReport& report : told) {
    missing += report.missing;
    incomplete += report.state == OperationState::incomplete ? 1 : 0;
    if (report.state != OperationState::incomplete) continue;
    EXPECT_EQ(report.missing, 8u);  // both ends of four edges
    if (report.last.name()) {
      EXPECT_GE(name_of(*report.last.name()), "t4");
    }
  }
  EXPECT_EQ(incomplete, 90u);          // all but the last ten and those that were read before
  EXPECT_EQ(loss.discarded, missing);  // no result contains any of them
  EXPECT_EQ(watch->collective(0).totals.incomplete(), incomplete);
  EXPECT_EQ(watch->collective(0).totals.missing_records(), missing);
  EXPECT_EQ(watch->collective(0).analysis.counts().unseen, 0u);
}

// --- sent data -----------------------------------------------------------------------------------------

/// The part of a report that both kinds of scope yield.
struct Said {
  std::optional<std::size_t> name;
  std::int64_t waited_ns{0};
  std::size_t waiting{0};
};

Said said_of(const OperationReport& report, const CollectiveShape& shape) {
  Said said{report.last.name(), waiting_of(report).ns, 0};
  for (const auto& waited : report.waited) said.waiting += waited ? 1 : 0;
  for (const GroupWaiting& group : report.groups) said.waiting += shape.within[group.within].threads;
  return said;
}

TEST_P(CollectiveWatchTest, ResultsSayTheSameAsRecordsInFewerBytes) {
  if (std::string_view(GetParam()) == "gather") GTEST_SKIP() << "once is enough";
  constexpr int threads = 32;
  constexpr std::uint64_t operations = 150;
  load("[{at: [thread, element]}]", threads);
  join();
  operate(operations);
  Consumer of_records(plan), of_results(plan);
  EventScope gather = of_records.open("gather"), collective = of_results.open("collective");
  CollectiveWatch by_records(*plan, of_records.names(), gather.tree());
  CollectiveWatch by_results(*plan, of_results.names(), collective.tree());
  std::vector<Operation> records_say, results_say;
  const auto look_both = [&] {
    const View all = gather.pull({.deadline = Deadline::after(5s)});
    const View results = collective.pull({.deadline = Deadline::after(5s)});
    EXPECT_EQ(results.records.size() + results.loss.reduced, all.records.size());
    for (Operation& operation : by_records.observe(all, {})) records_say.push_back(std::move(operation));
    for (Operation& operation : by_results.observe(results, {})) results_say.push_back(std::move(operation));
    return records_say.size() >= operations && results_say.size() >= operations;
  };
  ASSERT_TRUE(test::eventually(look_both));
  ASSERT_EQ(results_say.size(), operations);
  const CollectiveShape& shape = by_records.collective(0).shape;
  for (std::size_t i = 0; i < operations; ++i) {
    const OperationReport& report = results_say[i].report;
    ASSERT_EQ(report.number, records_say[i].report.number);
    EXPECT_EQ(report.state, OperationState::complete);
    EXPECT_EQ(report.groups.size(), 4u);
    const Said record = said_of(records_say[i].report, shape), result = said_of(report, shape);
    if (record.name && result.name) {
      EXPECT_EQ(*record.name, *result.name);
    }
    EXPECT_EQ(result.waiting, static_cast<std::size_t>(threads));
    const std::int64_t error = waiting_of(report).error_ns + waiting_of(records_say[i].report).error_ns;
    EXPECT_NEAR(static_cast<double>(result.waited_ns), static_cast<double>(record.waited_ns),
                static_cast<double>(error));
  }
  expect_same_totals(by_records.collective(0), by_results.collective(0));
  const std::uint64_t raw = of_records.traffic().bytes_received, less = of_results.traffic().bytes_received;
  std::cout << raw << " bytes of records, " << less << " of results\n";
  EXPECT_LT(less * 4, raw);
}

TEST_P(CollectiveWatchTest, TheLiveScreenShowsThem) {
  std::atomic<bool> may_come{false};
  load();
  join([&](int i, std::uint64_t number) {
    while (i == 5 && number == 51 && !may_come && !is_over) std::this_thread::yield();
  });
  RealTime time;
  top::CollectiveLooker looker(*consumer, scope->tree());
  WatchPulls pulls(time, consumer->names());
  allow(51);
  std::vector<top::CollectiveSample> samples;
  ASSERT_TRUE(test::eventually([&] {
    samples = looker.look(5s, pulls);
    return samples.at(0).told == 50 && samples[0].absent.size() == 1;
  }));
  EXPECT_EQ(samples[0].name, "sum");
  EXPECT_EQ(samples[0].number, 50u);
  EXPECT_EQ(samples[0].not_whole, 0u);
  EXPECT_FALSE(samples[0].last.empty());
  EXPECT_FALSE(samples[0].costliest.empty());
  EXPECT_GT(samples[0].cost_ns, 0);
  EXPECT_GT(samples[0].waited_ns, 0);
  EXPECT_EQ(samples[0].absent, std::vector<std::string>{"t5"});
  may_come = true;
  ASSERT_TRUE(test::eventually([&] { return looker.look(5s, pulls).at(0).told == 51; }));
}

// --- requests without a result -------------------------------------------------------------------------

TEST_P(CollectiveWatchTest, AnUnknownCollectiveIsAFaultThatListsTheKnownOnes) {
  load();
  EXPECT_THAT(test::error_text<ConfigurationError>(
                  [&] { const CollectiveWatch watching(*plan, consumer->names(), scope->tree(), {"som"}); }),
              HasSubstr("no collective 'som'; it has sum"));
}

TEST_P(CollectiveWatchTest, AScopeThatReadsNothingOfACollectiveIsAFault) {
  load();
  ScopeTree nothing;
  nothing.scope = "nothing";
  EXPECT_THROW(CollectiveWatch(*plan, consumer->names(), nothing), ConfigurationError);
  EXPECT_THROW(CollectiveWatch(*plan, consumer->names(), nothing, {"sum"}), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
