#include "monitors/collectives/collective_summary.h"

#include <gmock/gmock.h>

#include <random>

#include "monitors/collectives/collective_analysis.h"
#include "monitors/collectives/command/summary_printer.h"
#include "monitors/collectives/command/summary_report.h"
#include "monitors/collectives/run_time.h"
#include "tests/monitors/collectives/collective_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::CollectiveSimulation;
using test::CollectiveTree;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Made-up reports on operations of three threads.
class CollectiveSummaryTest : public testing::Test {
 protected:
  CollectiveSummaryTest() {
    for (const char* const name : {"a", "b", "c"}) shape.edges.push_back({.name = name, .node = "n1"});
  }
  /// Thread `last` came last; the others waited for these times, with an error of 1 ns each.
  static OperationReport report(std::vector<std::size_t> last, std::int64_t first, std::int64_t second) {
    OperationReport report;
    report.last.candidates = std::move(last);
    report.waited.resize(3);
    std::vector<std::int64_t> times{first, second};
    for (std::size_t edge = 0; edge < 3; ++edge) {
      if (report.last.candidates.front() == edge) continue;
      report.waited[edge] = Difference{times.back(), 1};
      times.pop_back();
    }
    return report;
  }

  CollectiveShape shape{.name = "sum", .operation = "all-reduce", .joints = {}, .edges = {}};
  CollectiveSummary summary;
};

TEST_F(CollectiveSummaryTest, AddsUpByCollectiveOperationAndCallSite) {
  summary.add(shape, {"MPI_Bcast", "x.c:1"}, report({0}, 10, 20));
  summary.add(shape, {"MPI_Bcast", "x.c:1"}, report({2}, 100, 1));
  summary.add(shape, {"MPI_Bcast", "x.c:1"}, report({2}, 1, 1));
  summary.add(shape, {"MPI_Bcast", "x.c:2"}, report({1}, 1000, 0));
  const auto rows = summary.rows();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0]->call.text(), "MPI_Bcast at x.c:2") << "the one with the most waiting";
  EXPECT_EQ(rows[1]->operations, 3u);
  EXPECT_EQ(rows[1]->waiting.ns, 133);
  EXPECT_EQ(rows[1]->waiting.error_ns, 6);
  ASSERT_THAT(rows[1]->late, SizeIs(2));
  EXPECT_EQ(rows[1]->late.at("a").last, 1u);
  EXPECT_EQ(rows[1]->late.at("c").last, 2u);
  EXPECT_EQ(rows[1]->late.at("c").cost.ns, 103);
  EXPECT_EQ(summary.total().operations, 4u);
  EXPECT_EQ(summary.total().waiting.ns, 1133);
}

TEST_F(CollectiveSummaryTest, WithoutACallTheCollectiveImpliesTheOperation) {
  summary.add(shape, {}, report({0}, 1, 2));
  ASSERT_THAT(summary.rows(), SizeIs(1));
  EXPECT_EQ(summary.rows()[0]->call.text(), "all-reduce");
}

TEST_F(CollectiveSummaryTest, WaitingForAnUncertainThreadHasNoCause) {
  summary.add(shape, {}, report({1, 2}, 5, 7));
  const auto total = summary.total();
  EXPECT_EQ(total.uncertain, 1u);
  EXPECT_EQ(total.waiting.ns, 12);
  EXPECT_EQ(total.uncertain_waiting.ns, 12);
  EXPECT_EQ(total.late.at("b").perhaps_last, 1u);
  EXPECT_EQ(total.late.at("c").perhaps_last, 1u);
  EXPECT_EQ(total.late.at("b").last + total.late.at("c").last, 0u);
}

TEST_F(CollectiveSummaryTest, OperationsWithoutAResultAreOnlyCounted) {
  auto broken = report({0}, 10, 20);
  broken.state = OperationState::broken;
  auto open = report({0}, 10, 20);
  open.state = OperationState::open;
  auto incomplete = report({0}, 10, 20);
  incomplete.state = OperationState::incomplete;
  for (const auto& one : {broken, open, incomplete}) summary.add(shape, {}, one);
  const auto total = summary.total();
  EXPECT_EQ(total.operations, 1u);
  EXPECT_EQ(total.incomplete, 1u);
  EXPECT_EQ(total.broken, 1u);
  EXPECT_EQ(total.open, 1u);
  EXPECT_EQ(total.waiting.ns, 30);
}

TEST_F(CollectiveSummaryTest, TooManyCallSitesShareARow) {
  for (std::size_t i = 0; i < CollectiveSummary::max_rows + 10; ++i)
    summary.add(shape, {"MPI_Barrier", "x.c:" + std::to_string(i)}, report({0}, 1, 0));
  ASSERT_THAT(summary.rows(), SizeIs(CollectiveSummary::max_rows + 1));
  EXPECT_EQ(summary.rows()[0]->call, CollectiveCall());
  EXPECT_EQ(summary.rows()[0]->operations, 10u);
  EXPECT_EQ(summary.total().operations, CollectiveSummary::max_rows + 10);
}

// --- beside the totals ------------------------------------------------------------------------------

// The totals by thread are computed by other code from the same reports.
TEST(CollectiveSummary, HasTheCostsThatTheTotalsHave) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const CollectiveTree tree(1 + seed % 3, 1 + seed % 2, 1 + seed % 4);
    CollectiveSimulation simulation(tree, seed);
    const auto clocks = simulation.clocks(100'000);
    CollectiveAnalysis analysis(tree.shape);
    for (std::uint64_t number = 1; number <= 20; ++number) {
      const auto operation =
          simulation.operation(number, static_cast<std::int64_t>(number) * 10'000'000, 1'000'000, 50'000);
      for (const EdgeRecord& record : simulation.records(operation, clocks)) analysis.add(record);
    }
    CollectiveTotals totals(tree.shape);
    CollectiveSummary summary;
    for (const OperationReport& report : analysis.settle()) {
      totals.add(report);
      summary.add(tree.shape, {}, report);
    }
    const auto all = summary.total();
    EXPECT_EQ(all.operations, totals.complete());
    EXPECT_EQ(all.uncertain_waiting.ns, totals.unattributed().ns) << "seed " << seed;
    double cost = 0;
    for (const std::size_t edge : tree.threads) {
      const auto late = all.late.find(tree.shape.edges[edge].name);
      const auto found = late == all.late.end() ? CollectiveSummary::Late{} : late->second;
      EXPECT_EQ(found.last, totals.threads()[edge].last) << "seed " << seed;
      EXPECT_EQ(found.perhaps_last, totals.threads()[edge].perhaps_last) << "seed " << seed;
      EXPECT_EQ(found.cost.ns, totals.threads()[edge].cost.ns) << "seed " << seed;
      cost += found.cost.ns;
    }
    EXPECT_EQ(all.waiting.ns, cost + all.uncertain_waiting.ns) << "seed " << seed;
  }
}

// --- the run time -----------------------------------------------------------------------------------

ProcessReport process_read_at(std::uint32_t number, std::chrono::nanoseconds now,
                              RunState state = RunState::running) {
  ProcessReport process;
  process.process = number;
  process.state = state;
  process.now_ticks = static_cast<std::uint64_t>(now.count());
  return process;
}

std::uint64_t ticks_at(std::chrono::nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

TEST(RunTime, IsThatOfTheProcessThatWasObservedLongest) {
  RunTime time;
  EXPECT_EQ(time.total(), 0ns);
  time.see_event(process_read_at(1, 9s), ticks_at(3s));
  time.see_event(process_read_at(1, 9s), ticks_at(5s));
  time.see_event(process_read_at(2, 9s), ticks_at(100s)) /* another clock */;
  time.see_event(process_read_at(2, 9s), ticks_at(99s));
  EXPECT_EQ(time.total(), 2s);
}

TEST(RunTime, GoesOnWhileAProcessLivesAndOnlyAsFarAsItIsRead) {
  RunTime time;
  time.see_process(process_read_at(1, 20s));
  EXPECT_EQ(time.total(), 0ns) << "no event of it is known";
  time.see_event(process_read_at(1, 9s), ticks_at(3s));
  time.see_process(process_read_at(1, 9s));
  EXPECT_EQ(time.total(), 6s);
  ProcessReport behind = process_read_at(1, 90s);
  behind.complete_ticks = ticks_at(13s);
  time.see_process(behind);
  EXPECT_EQ(time.total(), 10s);
  time.see_process(process_read_at(1, 99s, RunState::ended));
  EXPECT_EQ(time.total(), 10s);
}

TEST(RunTime, OfSeveralRunsIsAdded) {
  RunTime time;
  time.see_event(process_read_at(1, 9s), ticks_at(3s));
  time.see_event(process_read_at(1, 9s), ticks_at(5s));
  time.begin_anew();
  time.see_event(process_read_at(1, 9s), ticks_at(50s));
  time.see_event(process_read_at(1, 9s), ticks_at(51s));
  EXPECT_EQ(time.total(), 3s);
}

// --- the words --------------------------------------------------------------------------------------

/// Collectives whose operations are given.
class GivenCollectives final : public WatchedCollectives {
 public:
  explicit GivenCollectives(CollectiveShape shape) {
    collectives_.push_back(
        std::make_unique<Collective>(CollectiveIndex(0), std::move(shape), CollectiveAnalysis::Config{}));
  }
  /// An operation of threads a, b and c of one process, which come at these times in nanoseconds.
  void add(std::array<std::int64_t, 3> come, std::int64_t error = 0) {
    ++number_;
    const std::int64_t end = *std::ranges::max_element(come) + 10;
    for (std::size_t edge = 0; edge < come.size(); ++edge) {
      const auto at = [&](std::int64_t ns) {
        return Moment{ns, error, error == 0 ? 0 : static_cast<std::uint32_t>(edge), ns};
      };
      collectives_[0]->analysis.add(EdgeRecord{edge, EdgeEnd::lower, number_, at(come[edge]), at(end)});
    }
  }
  void run_for(std::chrono::nanoseconds time) {
    run_time_.see_event(process_read_at(1, 0s), 0);
    run_time_.see_event(process_read_at(1, 0s), ticks_at(time));
  }
  std::vector<Operation> observe(const View& /*view*/, Time at) override {
    std::vector<Operation> told;
    settle(at, told);
    return told;
  }
  void observe_under_way(const View& /*newest*/) override {}
  [[nodiscard]] std::uint64_t runs() const noexcept override { return 1; }

 private:
  std::uint64_t number_{0};
};

CollectiveShape shape_of_three() {
  CollectiveShape shape{.name = "sum", .operation = "all-reduce", .joints = {{"sum", "n1"}}, .edges = {}};
  for (const char* const name : {"a", "b", "c"}) {
    shape.joints[0].edges.push_back(shape.edges.size());
    shape.edges.push_back({.name = name, .node = "n1", .at_joint = false});
  }
  return shape;
}

constexpr std::int64_t million = 1'000'000;  // nanoseconds: a millisecond

std::string summary_text(const SummaryReport& report, std::size_t most = 10) {
  std::ostringstream out;
  print_summary(out, Format::text, report, most);
  return out.str();
}

TEST(SummaryReport, HasTheAnswerThenTheEvidenceThenHowSureItIs) {
  GivenCollectives watch(shape_of_three());
  watch.add({100 * million, 10 * million, 20 * million});
  watch.add({300 * million, 210 * million, 220 * million});
  watch.add({400 * million, 410 * million, 400 * million});
  watch.run_for(1s);
  watch.observe({}, {});
  const SummaryReport report(watch, nullptr, {});
  EXPECT_EQ(
      summary_text(report),
      "a came last in 2 of 3 operations and cost the others 340ms, 11% of the run time of all 3 threads\n"
      "collective  operation   count  last most often  cost to others  share\n"
      "sum         all-reduce  3      a (2), b (1)     360ms +-180us   12%\n"
      "certain: all records of these operations were read, and the last thread of each is known\n");
}

TEST(SummaryReport, SaysThatNoOneIsKnownToHaveComeLast) {
  GivenCollectives watch(shape_of_three());
  watch.add({100 * million, 101 * million, 102 * million}, 5 * million);
  watch.run_for(1s);
  watch.observe({}, {});
  const SummaryReport report(watch, nullptr, {});
  EXPECT_EQ(
      report.answer(),
      "no thread certainly came last in 1 operation; all waited 3ms, 0.1% of the run time of all 3 threads");
  EXPECT_THAT(
      report.certainty(),
      ElementsAre(testing::StartsWith("uncertain: in 1 of 1 operation several threads may have come last; "),
                  testing::StartsWith("uncertain: the errors of the clocks add up to ")));
}

TEST(SummaryReport, IsNotCertainOfEventsThatWereNotAllRecorded) {
  GivenCollectives watch(shape_of_three());
  watch.add({100 * million, 10 * million, 20 * million});
  watch.run_for(1s);
  watch.observe({}, {});
  const SummaryReport report(watch, nullptr, {}, "1 process did not record all events");
  EXPECT_THAT(report.certainty(), ElementsAre("incomplete: 1 process did not record all events"));
  std::ostringstream out;
  print_summary(out, Format::json, report, 0);
  EXPECT_THAT(out.str(), testing::HasSubstr("\"thinned\":true"));
}

TEST(SummaryReport, WithoutAnOperationHasNoTable) {
  GivenCollectives watch(shape_of_three());
  const SummaryReport report(watch, nullptr, {});
  EXPECT_EQ(summary_text(report), "no collective operation has ended\n");
  EXPECT_EQ(report.share(1.0), std::nullopt);
}

TEST(SummaryReport, WritesRowsInCsv) {
  GivenCollectives watch(shape_of_three());
  watch.add({100 * million, 10 * million, 20 * million});
  watch.run_for(1s);
  watch.observe({}, {});
  std::ostringstream out;
  print_summary(out, Format::csv, SummaryReport(watch, nullptr, {}), 0);
  EXPECT_THAT(out.str(), testing::StartsWith(
                             "collective,operation,site,operations,incomplete,uncertain,broken,open_at_end,"
                             "last,last_operations,last_cost_ns,last_cost_error_ns,waiting_ns,"
                             "waiting_error_ns,share\n"
                             "sum,all-reduce,,1,0,0,0,0,a,1,170000000,"));
}

TEST(ShareText, IsShort) {
  EXPECT_EQ(share_text(0), "0%");
  EXPECT_EQ(share_text(0.0004), "less than 0.1%");
  EXPECT_EQ(share_text(0.0123), "1.2%");
  EXPECT_EQ(share_text(0.183), "18%");
}

}  // namespace
}  // namespace eventspace
