// The bounds of the ideal time: closed forms, and random programs beside their simulation.
#include "monitors/efficiency/ideal_clocks.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/monitors/whatif/simulation/program_story.h"

namespace eventspace::efficiency {
namespace {

using Waits = IdealClocks::Waits;

class IdealClocksTest : public testing::Test {
 protected:
  IdealClocks clocks;

  void barrier(std::uint32_t unit, std::int64_t begin, std::int64_t end, std::uint64_t number,
               std::size_t members = 2) {
    clocks.add({unit, begin, end, Waits::for_all, {1, number}, members});
  }
};

TEST_F(IdealClocksTest, ABarrierWaitsForTheUnitWithMostUsefulTime) {
  clocks.begin(0, 0);
  clocks.begin(1, 0);
  barrier(0, 10, 45, 1);  // the barrier itself takes 5
  barrier(1, 40, 45, 1);
  barrier(0, 85, 90, 2);
  barrier(1, 55, 90, 2);
  clocks.finish({{0, 90}, {1, 90}});
  EXPECT_EQ(clocks.ideal(), (Range{80, 80}));
  EXPECT_EQ(clocks.waits().at(1).caused, 30);
  EXPECT_EQ(clocks.waits().at(0).waited, 30);
  EXPECT_EQ(clocks.waits().at(0).caused, 30);
}

TEST_F(IdealClocksTest, ACallThatMayHaveWaitedTakesAtMostItsRecordedTime) {
  clocks.begin(0, 0);
  clocks.add({0, 10, 60, Waits::unknown});
  clocks.add({0, 70, 90, Waits::never});
  clocks.finish({{0, 100}});
  EXPECT_EQ(clocks.ideal(), (Range{30, 80}));
  EXPECT_EQ(clocks.unknown_waits(), 1U);
}

TEST_F(IdealClocksTest, AnOperationWithoutAMemberIsGivenUp) {
  clocks.begin(0, 0);
  clocks.begin(1, 0);
  barrier(0, 10, 45, 1);
  clocks.add({1, 80, 90, Waits::never});
  clocks.give_up(46);
  EXPECT_EQ(clocks.given_up(), 1U);
  barrier(1, 100, 110, 1);  // too late
  clocks.finish({{0, 110}, {1, 110}});
  EXPECT_EQ(clocks.ideal().least, 90);
  EXPECT_LE(clocks.ideal().most, 110);
}

TEST_F(IdealClocksTest, TheEarliestOperationsAreGivenUpBeyondTheLimit) {
  IdealClocks small(IdealClocks::Limits{.kept = 2});
  small.begin(0, 0);
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto at = static_cast<std::int64_t>(10 * i);
    small.add({0, at + 5, at + 9, Waits::for_all, {1, i}, 2});
  }
  EXPECT_EQ(small.given_up(), 8U);
}

TEST_F(IdealClocksTest, CallsOfUnitsThatWereNotBegunDoNotCount) {
  barrier(5, 0, 10, 1);
  clocks.finish({});
  EXPECT_EQ(clocks.ideal(), (Range{0, 0}));
}

/// Runs a program on a slow network, gives its calls to the clocks in random order of the tasks, and compares
/// with its time on an ideal network.
class RandomPrograms : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::mt19937 random{GetParam()};
  std::size_t number(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  }

  std::string lines(std::size_t tasks, bool only_barriers) {
    std::string text;
    for (int round = 0; round < 20; ++round) {
      const std::size_t kind = only_barriers ? 0 : number(4);
      const std::size_t root = number(tasks);
      const std::size_t to = (root + 1 + number(tasks - 1)) % tasks;
      for (std::size_t task = 0; task < tasks; ++task) {
        const std::string name = std::to_string(task);
        text += name + " compute " + std::to_string(number(1000)) + "us\n";
        if (kind == 0) text += name + " barrier\n";
        if (kind == 1) text += name + " allreduce 64B\n";
        if (kind == 2) text += name + " bcast 64B root " + std::to_string(root) + "\n";
        if (kind == 3 && task == root) text += name + " send " + std::to_string(to) + " 8B\n";
        if (kind == 3 && task == to) text += name + " recv " + std::to_string(root) + " 8B\n";
      }
    }
    for (std::size_t task = 0; task < tasks; ++task) text += std::to_string(task) + " end\n";
    return text;
  }

  static IdealClocks::Call call_of(std::uint32_t task, const whatif::Action& action, std::size_t tasks,
                                   std::uint64_t ordinal, const std::pair<std::int64_t, std::int64_t>& time) {
    IdealClocks::Call call{.unit = task, .begin_ns = time.first, .end_ns = time.second};
    if (action.kind == whatif::ActionKind::receive) call.waits = Waits::unknown;
    if (action.kind != whatif::ActionKind::group) return call;
    const bool is_rooted = action.operation == whatif::GroupOperation::broadcast;
    call.waits = is_rooted ? Waits::some : Waits::for_all;
    call.operation = {0, ordinal};
    call.members = tasks;
    return call;
  }

  Range bounds(const whatif::Program& program, const whatif::Outcome& recorded) {
    IdealClocks clocks;
    std::vector<std::size_t> next(program.tasks.size());
    std::vector<std::uint64_t> ordinals(program.tasks.size());
    std::map<std::uint32_t, std::int64_t> ends;
    for (std::uint32_t task = 0; task < next.size(); ++task) {
      clocks.begin(task, 0);
      ends[task] = recorded.tasks[task].execution / 1000;
    }
    for (std::size_t left = program.actions(); left > 0; --left) {
      auto task = static_cast<std::uint32_t>(number(next.size()));
      while (next[task] == program.tasks[task].actions.size())
        task = (task + 1) % static_cast<std::uint32_t>(next.size());
      const whatif::Action& action = program.tasks[task].actions[next[task]];
      const auto& [begin, end] = recorded.trace->times[task][next[task]++];
      if (action.kind == whatif::ActionKind::compute) continue;
      if (action.kind == whatif::ActionKind::group) ++ordinals[task];
      clocks.add(call_of(task, action, next.size(), ordinals[task], {begin / 1000, end / 1000}));
    }
    clocks.finish(ends);
    return clocks.ideal();
  }
};

TEST_P(RandomPrograms, TheIdealTimeIsWithinItsBounds) {
  const std::size_t tasks = 2 + number(6);
  const auto program = whatif::story::program(tasks, lines(tasks, false));
  const auto recorded = whatif::story::outcome(
      program, whatif::story::loggp({.latency = 100 * whatif::story::us, .per_byte = 1e6}),
      {.traces = true, .times = true});
  const auto ideal = whatif::story::outcome(program, whatif::story::loggp({}), {.overhead = 0});
  const Range range = bounds(program, recorded);
  const double simulated = static_cast<double>(ideal.execution) / 1000;
  const double rounding = 100;  // nanoseconds of calls are rounded
  EXPECT_LE(range.least, simulated + rounding);
  EXPECT_GE(range.most, simulated - rounding);
}

TEST_P(RandomPrograms, TheBoundsMeetIfAllOperationsAreOfAllUnits) {
  const std::size_t tasks = 2 + number(6);
  const auto program = whatif::story::program(tasks, lines(tasks, true));
  const auto recorded = whatif::story::outcome(
      program, whatif::story::loggp({.latency = 100 * whatif::story::us}), {.traces = true, .times = true});
  const auto ideal = whatif::story::outcome(program, whatif::story::loggp({}), {.overhead = 0});
  const Range range = bounds(program, recorded);
  const double simulated = static_cast<double>(ideal.execution) / 1000;
  EXPECT_NEAR(range.least, simulated, 100);
  EXPECT_NEAR(range.most, simulated, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(1U, 21U));

}  // namespace
}  // namespace eventspace::efficiency
