#include "monitors/collectives/collective_analysis.h"

#include <gtest/gtest.h>

#include "monitors/collectives/collective_totals.h"
#include "tests/monitors/collectives/collective_talk.h"

namespace eventspace {
namespace {

using test::CollectiveSimulation;
using test::CollectiveTree;
using test::TrueOperation;
using test::WrongClocks;
using Edges = std::vector<std::size_t>;

constexpr std::int64_t micro = 1000;
constexpr std::int64_t milli = 1000 * micro;

/// Threads t0 and t1 (edges 0 and 1) in a process on n0, where the root is; t2 and t3 (edges 3 and 4) in one
/// on n1, whose joint has edge 2 up to the root. Times are in microseconds.
class SmallCollectiveTest : public testing::Test {
 protected:
  static CollectiveTree small_tree() {
    CollectiveTree tree(0, 0, 0);
    tree.shape.joints = {{"sum", "n0"}, {"sum/n1", "n1"}};
    const auto add = [&tree](const CollectiveShape::Edge& edge, std::uint32_t clock) {
      const std::size_t number = tree.shape.edges.size();
      tree.shape.joints[edge.joint].edges.push_back(number);
      tree.shape.edge_of_path.emplace(static_cast<std::uint32_t>(100 + number), number);
      tree.shape.edges.push_back(edge);
      tree.clock_of_edge.push_back(clock);
    };
    add({"t0", "n0", 0}, 0);
    add({"t1", "n0", 0}, 0);
    add({"sum/n1", "n1", 0, 1}, 1);
    add({"t2", "n1", 1}, 1);
    add({"t3", "n1", 1}, 1);
    tree.shape.joints[1].uplink = 2;
    return tree;
  }
  /// Adds a record of an end of an edge. The clock of process 1 has the error `error_of_n1`.
  void say(std::size_t edge, EdgeEnd at, std::int64_t start, std::int64_t end, std::uint64_t number = 1) {
    const std::uint32_t clock =
        at == EdgeEnd::lower ? tree.clock_of_edge[edge] : (tree.shape.edges[edge].joint == 0 ? 0 : 1);
    const std::int64_t error = clock == 1 ? error_of_n1 : 0;
    const auto read = [&](std::int64_t when) { return Moment{when * micro, error, clock, when * micro}; };
    EdgeRecord record{edge, at, number, read(start), read(end)};
    if (end == 0) record.end.reset();
    analysis.add(record);
  }
  /// t0 comes at 10, t1 at 20, t3 at 30 and t2 at `last`; each step of the way takes a microsecond.
  void tell(std::int64_t last = 100, std::uint64_t number = 1) {
    const auto edge = [&](std::size_t of, std::int64_t start, std::int64_t end) {
      say(of, EdgeEnd::lower, start, end, number);
      say(of, EdgeEnd::upper, start + 1, end - 1, number);
    };
    edge(0, 10, last + 5);
    edge(1, 20, last + 5);
    edge(2, last + 2, last + 7);
    edge(3, last, last + 10);
    edge(4, 30, last + 10);
  }
  /// Only the records that n0 and the joint on n1 make.
  void tell_without_n1(std::int64_t t0, std::int64_t t1, std::uint64_t number) {
    for (const auto& [edge, start] : {std::pair<std::size_t, std::int64_t>{0, t0}, {1, t1}, {2, 205}}) {
      say(edge, EdgeEnd::lower, start, 300, number);
      say(edge, EdgeEnd::upper, start + 1, 299, number);
    }
  }
  /// A part that stands for the records of t3, which came first, and t2.
  [[nodiscard]] ProcessPart part(std::int64_t t3, std::int64_t t2, std::uint64_t number) const {
    const auto at = [&](std::int64_t when) { return Moment{when * micro, error_of_n1, 1, when * micro}; };
    return {0, number, {4, at(t3)}, {4, at(t3)}, {3, at(t2)}, {(t2 - t3) * micro, 0}};
  }
  OperationReport only() {
    const auto reports = analysis.settle();
    EXPECT_EQ(reports.size(), 1u);
    return reports.empty() ? OperationReport{} : reports.front();
  }

  CollectiveTree tree = small_tree();
  std::int64_t error_of_n1{5 * micro};
  CollectiveAnalysis analysis{tree.shape};
};

TEST_F(SmallCollectiveTest, ShowsTheLastThreadItsLagAndTheWaitingThreads) {
  tell();
  const OperationReport report = only();
  EXPECT_EQ(report.state, OperationState::complete);
  EXPECT_EQ(report.missing, 0u);
  EXPECT_EQ(report.last.name(), 3u);
  EXPECT_EQ(report.last.after_second->ns, 70 * micro);
  EXPECT_EQ(report.last.after_first->ns, 90 * micro);
  EXPECT_EQ(report.waited[0], (Difference{90 * micro, 5 * micro}));
  EXPECT_EQ(report.waited[1]->ns, 80 * micro);
  EXPECT_EQ(report.waited[2], std::nullopt);  // a joint does not wait for itself
  EXPECT_EQ(report.waited[3]->ns, 0);
  EXPECT_EQ(report.waited[4]->ns, 70 * micro);
  EXPECT_LT(report.waited[4]->error_ns, micro);  // of one process
}

TEST_F(SmallCollectiveTest, ShowsTheArrivalAndTheDepartureViewOfEachJoint) {
  tell();
  const OperationReport report = only();
  const JointView& root = report.joints[0];
  EXPECT_EQ(root.last.name(), 2u);
  ASSERT_EQ(root.arrivals.size(), 3u);
  EXPECT_EQ(root.arrivals[0].edge, 0u);
  EXPECT_EQ(root.arrivals[1].edge, 1u);
  EXPECT_EQ(root.arrivals[1].after_first.ns, 10 * micro);
  EXPECT_EQ(root.arrivals[2].after_first.ns, 92 * micro);
  EXPECT_EQ(root.gathering->ns, 92 * micro);
  EXPECT_EQ(root.passing_up, std::nullopt);
  EXPECT_EQ(root.handing_down->ns, 3 * micro);  // from 103 to 106
  EXPECT_EQ(root.departures.back().edge, 2u);
  const JointView& n1 = report.joints[1];
  EXPECT_EQ(n1.last.name(), 3u);
  EXPECT_EQ(n1.gathering->ns, 70 * micro);
  EXPECT_EQ(n1.passing_up->ns, 1 * micro);
  EXPECT_EQ(n1.above->ns, 5 * micro);
  EXPECT_EQ(n1.handing_down->ns, 2 * micro);
}

TEST_F(SmallCollectiveTest, ShowsHowLongEachStageTookUpAndDown) {
  tell();
  const OperationReport report = only();
  EXPECT_EQ(report.edges[2].up, (Difference{1 * micro, 5 * micro}));  // between two nodes
  EXPECT_EQ(report.edges[2].down->ns, 1 * micro);
  EXPECT_EQ(report.edges[2].both->ns, 2 * micro);
  EXPECT_LT(report.edges[2].both->error_ns, micro);
  EXPECT_LT(report.edges[0].up->error_ns, micro);
}

TEST_F(SmallCollectiveTest, DoesNotNameThreadsThatCannotBeDistinguished) {
  tell(24);  // t1 came 4 us earlier, by a clock with an error of 5 us; t3 would be later
  const OperationReport report = only();
  EXPECT_EQ(report.last.name(), 4u);
  error_of_n1 = 20 * micro;
  tell(24, 2);
  const OperationReport unsure = only();
  EXPECT_FALSE(unsure.last.name());
  EXPECT_EQ(unsure.last.candidates, (Edges{4, 1}));  // t2 and t3 share a clock: t2 was first
}

TEST_F(SmallCollectiveTest, AnOpenOperationShowsTheMissingThreads) {
  say(0, EdgeEnd::lower, 10, 0);
  say(3, EdgeEnd::lower, 15, 0);
  say(3, EdgeEnd::upper, 16, 0);
  EXPECT_TRUE(analysis.settle().empty());
  const auto open = analysis.open();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].number, 1u);
  EXPECT_EQ(open[0].state, OperationState::open);
  EXPECT_EQ(open[0].absent, (Edges{1, 4}));
}

TEST_F(SmallCollectiveTest, ARecordUnderWayBelongsToTheOperationAfterTheLast) {
  tell(100, 7);
  say(0, EdgeEnd::lower, 200, 0, 0);
  EXPECT_EQ(only().number, 7u);
  ASSERT_EQ(analysis.open().size(), 1u);
  EXPECT_EQ(analysis.open()[0].number, 8u);
  EXPECT_EQ(analysis.open()[0].absent, (Edges{1, 3, 4}));
  say(0, EdgeEnd::lower, 200, 0, 0);  // seen again
  EXPECT_TRUE(analysis.settle().empty());
  tell(300, 8);
  EXPECT_EQ(only().number, 8u);
  EXPECT_TRUE(analysis.open().empty());
  EXPECT_EQ(analysis.counts().ignored, 0u);
}

TEST_F(SmallCollectiveTest, AnOperationIsIncompleteWhenItsMissingRecordsCannotCome) {
  say(0, EdgeEnd::lower, 10, 105);
  EXPECT_TRUE(analysis.settle().empty());
  EXPECT_EQ(analysis.open().at(0).state, OperationState::incomplete);  // it has ended, so no thread is absent
  EXPECT_TRUE(analysis.open().at(0).absent.empty());
  tell(300, 2);
  std::vector<OperationReport> reports;
  for (int settles = 0; settles < 10 && reports.size() < 2; ++settles) {
    for (OperationReport& report : analysis.settle()) reports.push_back(std::move(report));
  }
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].number, 2u);
  EXPECT_EQ(reports[1].number, 1u);
  EXPECT_EQ(reports[1].state, OperationState::incomplete);
  EXPECT_EQ(reports[1].missing, 9u);
  EXPECT_FALSE(reports[1].last.name());
  EXPECT_EQ(analysis.counts().given_up, 0u);
}

// As if a server did not answer.
TEST_F(SmallCollectiveTest, AnOperationWithLateRecordsIsReportedAfterATimeWithTheMissingNode) {
  const auto at = [](int seconds) { return CollectiveAnalysis::Time(std::chrono::seconds(seconds)); };
  const auto tell_of_n0 = [&](std::uint64_t number) {
    for (const std::size_t edge : {0, 1}) {
      say(edge, EdgeEnd::lower, 10, 105, number);
      say(edge, EdgeEnd::upper, 11, 104, number);
    }
    say(2, EdgeEnd::upper, 103, 106, number);
  };
  tell_of_n0(1);
  EXPECT_TRUE(analysis.settle(at(100)).empty());
  tell_of_n0(2);
  say(0, EdgeEnd::lower, 200, 0, 3);  // this one has not ended
  EXPECT_TRUE(analysis.settle(at(114)).empty());
  const auto first = analysis.settle(at(115));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].number, 1u);
  EXPECT_EQ(first[0].state, OperationState::incomplete);
  EXPECT_EQ(first[0].missing, 5u);
  EXPECT_EQ(first[0].missing_on, std::vector<std::string>{"n1"});
  EXPECT_FALSE(first[0].last.name());
  EXPECT_EQ(analysis.settle(at(129)).size(), 1u);
  EXPECT_TRUE(analysis.settle(at(10'000)).empty());
  EXPECT_EQ(analysis.open().size(), 1u);
  EXPECT_EQ(analysis.counts().given_up, 0u);
  say(3, EdgeEnd::lower, 100, 110);
  EXPECT_EQ(analysis.counts().ignored, 1u);
}

TEST_F(SmallCollectiveTest, TheNumberOfOpenOperationsIsBoundedAndTheOldestGo) {
  CollectiveAnalysis small(tree.shape, {3, 2});
  for (std::uint64_t number = 10; number < 30; ++number) {
    small.add({0, EdgeEnd::lower, number, {0, 0, 0}, Moment{1, 0, 0}});
  }
  const auto reports = small.settle();
  ASSERT_EQ(reports.size(), 17u);
  EXPECT_EQ(reports.front().number, 10u);
  EXPECT_EQ(reports.back().number, 26u);
  EXPECT_EQ(small.open().size(), 3u);
  EXPECT_EQ(small.counts().given_up, 17u);
  small.add({1, EdgeEnd::lower, 12, {0, 0, 0}, Moment{1, 0, 0}});
  EXPECT_EQ(small.counts().ignored, 1u);
}

TEST_F(SmallCollectiveTest, OperationsWithoutAnyRecordAreCounted) {
  tell(100, 5);
  EXPECT_EQ(only().number, 5u);
  EXPECT_EQ(analysis.counts().unseen, 0u);  // earlier operations do not count as unseen
  tell(200, 6);
  tell(300, 10);
  EXPECT_EQ(analysis.settle().size(), 2u);
  EXPECT_EQ(analysis.counts().unseen, 3u);
  analysis.begin_anew();
  tell(100, 1);
  EXPECT_EQ(only().number, 1u);
}

TEST_F(SmallCollectiveTest, AGapStillCountsAsUnseenWhenItIsForgotten) {
  analysis = CollectiveAnalysis(tree.shape, {3, 2});
  tell(100, 1);
  EXPECT_EQ(only().number, 1u);
  for (const std::uint64_t number : {4, 5, 6}) tell(100, number);
  EXPECT_EQ(analysis.settle().size(), 3u);
  EXPECT_FALSE(analysis.is_reported(2)) << "three reported ones are kept";
  EXPECT_EQ(analysis.counts().unseen, 2u);
  tell(100, 7);
  EXPECT_EQ(only().number, 7u);
  EXPECT_TRUE(analysis.is_reported(2)) << "four are too many";
  EXPECT_EQ(analysis.counts().unseen, 2u);
}

// The part is refused, because a record that it stands for is already known, so the others are still
// accepted.
TEST_F(SmallCollectiveTest, AfterAPartThatWasRefusedTheRecordsOfItsOperationCanStillArrive) {
  tree.shape.within = {{1, {3, 4}, 2}};
  tell_without_n1(10, 20, 1);
  say(3, EdgeEnd::lower, 100, 110);
  say(3, EdgeEnd::upper, 101, 109);
  analysis.add(part(30, 100, 1));
  EXPECT_EQ(analysis.counts().ignored, 1u);
  for (int settles = 0; settles < 10; ++settles) EXPECT_TRUE(analysis.settle().empty());
  say(4, EdgeEnd::lower, 30, 110);
  say(4, EdgeEnd::upper, 31, 109);
  EXPECT_EQ(only().state, OperationState::complete);
}

TEST_F(SmallCollectiveTest, RecordsOfOtherPathsAreIgnored) {
  ProcessReport process;
  EventRecord record;
  record.path = 102;
  record.point = 1;
  record.parameter = 9;
  record.status = Status::ok;
  const auto made = edge_record(tree.shape, record, process);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->edge, 2u);
  EXPECT_EQ(made->at, EdgeEnd::upper);
  EXPECT_EQ(made->operation, 9u);
  record.path = 99;
  EXPECT_FALSE(edge_record(tree.shape, record, process));
  record.path = 102;
  record.point = 2;
  EXPECT_FALSE(edge_record(tree.shape, record, process));
}

TEST_F(SmallCollectiveTest, TheCostOfAThreadIsTheSumOfTheOthersWaiting) {
  CollectiveTotals totals(tree.shape);
  tell(100, 1);
  tell(200, 2);
  for (const OperationReport& report : analysis.settle()) totals.add(report);
  const CollectiveTotals::Thread& t2 = totals.threads()[3];
  EXPECT_EQ(t2.last, 2u);
  EXPECT_EQ(t2.cost.ns, (90 + 80 + 70 + 190 + 180 + 170) * micro);
  EXPECT_EQ(t2.avoidable.ns, 3 * micro * (70 + 170));
  EXPECT_EQ(totals.threads()[0].waited.ns, (90 + 190) * micro);
  EXPECT_EQ(totals.costliest(), (Edges{3}));
  EXPECT_EQ(totals.nodes().at("n1").cost.ns, t2.cost.ns);
  EXPECT_EQ(totals.nodes().at("n0").waited.ns, (90 + 80 + 190 + 180) * micro);
  EXPECT_EQ(totals.stages()[2].both.ns, 4 * micro);
  EXPECT_EQ(totals.joints()[1].gathering.most_ns, 170 * micro);
  EXPECT_EQ(totals.slowest_joints(), (Edges{0, 1}));
  EXPECT_EQ(totals.complete(), 2u);
}

TEST_F(SmallCollectiveTest, AllThreadsOfAPartExceptTheLastCountAsWaiting) {
  tree.shape.within = {{1, {3, 4}, 2}};
  tell_without_n1(10, 20, 1);
  analysis.add(part(30, 100, 1));  // t2, of the part, is the last
  tell_without_n1(110, 200, 2);
  analysis.add(part(130, 150, 2));  // t1 is
  CollectiveTotals totals(tree.shape);
  for (const OperationReport& report : analysis.settle()) totals.add(report);
  EXPECT_EQ(totals.complete(), 2u);
  const CollectiveTotals::Thread& t2 = totals.threads()[3];
  EXPECT_EQ(t2.last, 1u);
  EXPECT_EQ(t2.cost.ns, (90 + 80 + 70) * micro);
  EXPECT_EQ(t2.avoidable.ns, 3 * micro * 70);
  const CollectiveTotals::Thread& t1 = totals.threads()[1];
  EXPECT_EQ(t1.last, 1u);
  EXPECT_EQ(t1.cost.ns, (90 + 70 + 50) * micro);
  EXPECT_EQ(t1.avoidable.ns, 3 * micro * 50);
}

TEST_F(SmallCollectiveTest, WaitingWithoutACertainCauseIsUnattributed) {
  error_of_n1 = 20 * micro;
  CollectiveTotals totals(tree.shape);
  tell(24);
  totals.add(only());
  EXPECT_TRUE(totals.costliest().empty());
  EXPECT_EQ(totals.threads()[1].perhaps_last, 1u);
  EXPECT_EQ(totals.unattributed().ns, (20 + 10 + 6 + 0) * micro);
}

// --- random trees and clocks ------------------------------------------------------------------------

struct RandomCollective {
  explicit RandomCollective(std::uint64_t seed)
      : random(seed),
        tree(any(1, 4), any(1, 3), any(1, 4)),
        simulation(tree, seed),
        clocks(simulation.clocks(static_cast<std::int64_t>(any(0, 300)) * micro)) {
    for (std::uint64_t number = 1; number <= 20; ++number) {
      const auto spread = static_cast<std::int64_t>(any(1, 2000)) * micro;
      operations.push_back(
          simulation.operation(number, static_cast<std::int64_t>(number) * 10 * milli, spread, 50 * micro));
      for (const EdgeRecord& record : simulation.records(operations.back(), clocks))
        records.push_back(record);
    }
  }
  std::size_t any(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  }
  [[nodiscard]] std::size_t truly_last(const TrueOperation& of) const {
    return *std::max_element(tree.threads.begin(), tree.threads.end(), [&](std::size_t a, std::size_t b) {
      return of.lower[a].start < of.lower[b].start;
    });
  }

  std::mt19937_64 random;
  CollectiveTree tree;
  CollectiveSimulation simulation;
  WrongClocks clocks;
  std::vector<TrueOperation> operations;
  std::vector<EdgeRecord> records;
};

void expect_near(const std::optional<Difference>& time, std::int64_t truth, std::uint64_t seed) {
  if (time) {
    ASSERT_LE(std::abs(time->ns - truth), time->error_ns) << "seed " << seed;
  }
}

void expect_true(const RandomCollective& of, const OperationReport& report, std::uint64_t seed) {
  const TrueOperation& truth = of.operations.at(report.number - 1);
  const std::size_t last = of.truly_last(truth);
  const std::int64_t all_here = truth.lower[last].start;
  if (report.last.name()) {
    ASSERT_EQ(*report.last.name(), last) << "seed " << seed;
    for (const std::size_t thread : of.tree.threads)
      expect_near(report.waited[thread], all_here - truth.lower[thread].start, seed);
  }
  for (std::size_t edge = 0; edge < of.tree.shape.edges.size(); ++edge) {
    const auto &lower = truth.lower[edge], &upper = truth.upper[edge];
    expect_near(report.edges[edge].up, upper.start - lower.start, seed);
    expect_near(report.edges[edge].down, lower.end - upper.end, seed);
    expect_near(report.edges[edge].both, (lower.end - lower.start) - (upper.end - upper.start), seed);
  }
  for (std::size_t joint = 0; joint < report.joints.size(); ++joint) {
    if (!report.joints[joint].last.name()) continue;
    const auto& edges = of.tree.shape.joints[joint].edges;
    ASSERT_EQ(*report.joints[joint].last.name(),
              *std::max_element(
                  edges.begin(), edges.end(),
                  [&](std::size_t a, std::size_t b) { return truth.upper[a].start < truth.upper[b].start; }))
        << "seed " << seed;
  }
}

TEST(CollectiveAnalysisTest, NamesTheTrueLastOrNoneAndItsTimesHold) {
  std::size_t named = 0, told_apart = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomCollective random(seed);
    CollectiveAnalysis analysis(random.tree.shape);
    for (const EdgeRecord& record : random.records) analysis.add(record);
    const auto reports = analysis.settle();
    ASSERT_EQ(reports.size(), random.operations.size()) << "seed " << seed;
    for (const OperationReport& report : reports) {
      ASSERT_EQ(report.state, OperationState::complete);
      ASSERT_NO_FATAL_FAILURE(expect_true(random, report, seed));
      named += report.last.name() ? 1 : 0;
      // Joints read all arrivals by one clock.
      for (const JointView& joint : report.joints) told_apart += joint.last.name() ? 1 : 0;
      const TrueOperation& truth = random.operations[report.number - 1];
      const std::size_t last = random.truly_last(truth);
      bool is_clear = true;  // if so, the last thread must be named
      for (const std::size_t thread : random.tree.threads) {
        const std::int64_t bounds = random.clocks.bound_ns[random.tree.clock_of_edge[thread]] +
                                    random.clocks.bound_ns[random.tree.clock_of_edge[last]];
        is_clear = is_clear && (thread == last ||
                                truth.lower[last].start - truth.lower[thread].start > 2 * bounds + 2 * micro);
      }
      ASSERT_TRUE(!is_clear || report.last.name()) << "seed " << seed;
    }
  }
  EXPECT_GT(named, 2000u);
  EXPECT_GT(told_apart, 10'000u);
}

TEST(CollectiveAnalysisTest, AnyOrderAndRepetitionOverAnyPullsYieldsTheSame) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomCollective random(seed);
    std::vector<EdgeRecord> shuffled = random.records;
    for (std::size_t i = 0; i < random.records.size(); i += 3) shuffled.push_back(random.records[i]);
    std::shuffle(shuffled.begin(), shuffled.end(), random.random);
    CollectiveAnalysis analysis(random.tree.shape, {512, 1'000'000});
    std::size_t reported = 0;
    analysis.add(
        random.records.front());  // of the first operation, so that the first view contains the beginning
    for (const EdgeRecord& record : shuffled) {
      analysis.add(record);
      if (random.any(0, 20) > 0) continue;
      for (const OperationReport& report : analysis.settle()) {
        ++reported;
        ASSERT_EQ(report.state, OperationState::complete) << "seed " << seed;
        ASSERT_NO_FATAL_FAILURE(expect_true(random, report, seed));
      }
    }
    reported += analysis.settle().size();
    ASSERT_EQ(reported, random.operations.size()) << "seed " << seed;
    ASSERT_EQ(analysis.counts().ignored, 1 + (random.records.size() + 2) / 3) << "seed " << seed;
    ASSERT_TRUE(analysis.open().empty());
  }
}

TEST(CollectiveAnalysisTest, WithLostRecordsNoNameIsWrongAndTheLossIsCounted) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomCollective random(seed);
    CollectiveAnalysis analysis(random.tree.shape);
    std::map<std::uint64_t, std::size_t> lost;
    for (const EdgeRecord& record : random.records) {
      const bool is_last = record.operation == random.operations.size();
      if (!is_last && random.any(0, 19) == 0) {
        ++lost[record.operation];
      } else {
        analysis.add(record);
      }
    }
    std::size_t reported = 0;
    for (int settles = 0; settles < 5; ++settles) {
      for (const OperationReport& report : analysis.settle()) {
        ++reported;
        ASSERT_EQ(report.missing, lost[report.number]) << "seed " << seed;
        ASSERT_EQ(report.state == OperationState::incomplete, report.missing > 0) << "seed " << seed;
        ASSERT_NO_FATAL_FAILURE(expect_true(random, report, seed));
      }
    }
    ASSERT_EQ(reported + analysis.counts().unseen, random.operations.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace eventspace
