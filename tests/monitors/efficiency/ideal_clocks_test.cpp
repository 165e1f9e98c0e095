// The bounds of the ideal time: closed forms, and random programs beside their simulation.
#include "monitors/efficiency/ideal_clocks.h"

#include <gmock/gmock.h>

#include <array>
#include <random>

#include "monitors/efficiency/call_waits.h"
#include "tests/monitors/mpi/job_view.h"
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

TEST_F(IdealClocksTest, CallsThatNoProgramMakesWaitForAnUnknownReason) {
  for (const std::uint32_t unit : {0, 1, 2}) clocks.begin(unit, 0);
  barrier(0, 10, 40, 1);
  barrier(0, 50, 60, 1);  // has to wait for the first
  barrier(1, 30, 40, 1);
  EXPECT_EQ(clocks.unknown_waits(), 0U) << "the second call of unit 0 begins another meeting";
  barrier(0, 62, 64, 2, 3);
  clocks.give_up(61);
  EXPECT_EQ(clocks.given_up(), 1U);
  barrier(1, 50, 70, 2, 3);
  barrier(1, 75, 80, 2, 1);
  barrier(2, 60, 70, 2, 2);
  barrier(2, 80, 90, 2, 5);
  clocks.finish({{0, 100}, {1, 100}, {2, 100}});
  EXPECT_LE(clocks.ideal().least, clocks.ideal().most);
  EXPECT_LE(clocks.ideal().most, 100);
}

TEST_F(IdealClocksTest, AnArrivalAtACompleteOperationDoesNotBelongToIt) {
  for (const std::uint32_t unit : {0, 1, 2}) clocks.begin(unit, 0);
  barrier(2, 5, 15, 7);
  barrier(2, 20, 30, 1);
  barrier(2, 35, 38, 1);  // when unit 0 has not left the first one
  barrier(0, 10, 30, 1);
  barrier(1, 6, 15, 7);
  EXPECT_EQ(clocks.unknown_waits(), 1U);
  clocks.finish({{0, 40}, {1, 40}, {2, 40}});
  EXPECT_EQ(clocks.given_up(), 0U);
  EXPECT_LE(clocks.ideal().least, clocks.ideal().most);
  EXPECT_LE(clocks.ideal().most, 40);
}

TEST(IdealClocks, RandomCallsNeverThrowAndKeepTheOrderOfTheBounds) {
  std::mt19937 random(7);
  const auto number = [&random](std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random);
  };
  IdealClocks clocks(IdealClocks::Limits{.kept = 20});
  for (std::uint32_t unit = 0; unit < 4; ++unit) clocks.begin(unit, 0);
  for (std::int64_t at = 1; at < 5000; ++at) {
    clocks.add({static_cast<std::uint32_t>(number(5)),
                at,
                at + static_cast<std::int64_t>(number(9)),
                static_cast<Waits>(number(4)),
                {number(2), number(3)},
                number(5)});
    if (number(10) == 0) clocks.give_up(at - 3);
  }
  clocks.finish({{0, 6000}, {1, 6000}, {2, 6000}, {3, 6000}});
  EXPECT_LE(clocks.ideal().least, clocks.ideal().most);
  EXPECT_LE(clocks.ideal().most, 6000);
}

/// Runs a program on a slow network, gives its calls to the clocks in random order of the tasks, and compares
/// with its time on an ideal network.
class RandomPrograms : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::mt19937 random{GetParam()};
  std::size_t number(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  }

  // Kinds of rounds: 0 a barrier, 1 an allreduce, 2 a broadcast, 3 a message.
  std::string lines(std::size_t tasks, const std::vector<std::size_t>& kinds) {
    std::string text;
    for (int round = 0; round < 20; ++round) {
      const std::size_t kind = kinds[number(kinds.size())];
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

  // A receive blocks, or the thread polls; what its records say of waiting.
  Waits waits_of_receive() {
    constexpr std::array<std::pair<const char*, MpiClass>, 4> ways{{{"MPI_Recv", MpiClass::receive},
                                                                    {"MPI_Iprobe", MpiClass::look},
                                                                    {"MPI_Iprobe", MpiClass::probe},
                                                                    {"MPI_Test", MpiClass::complete}}};
    const auto& [name, of] = ways.at(number(ways.size()));
    test::JobView job{2};
    job.add(0, test::JobView::call(name, of), std::chrono::seconds(1), std::chrono::seconds(2));
    return CallWaits(nullptr, job.names)
        .of({&job.view.records.whole().front(), 1}, job.view.processes[0])
        .kind;
  }

  IdealClocks::Call call_of(std::uint32_t task, const whatif::Action& action, std::size_t tasks,
                            std::uint64_t ordinal, const std::pair<std::int64_t, std::int64_t>& time) {
    IdealClocks::Call call{.unit = task, .begin_ns = time.first, .end_ns = time.second};
    if (action.kind == whatif::ActionKind::receive) call.waits = waits_of_receive();
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
  // Broadcasts widen the bounds, and would hide receives whose waits are not known as such.
  for (const std::vector<std::size_t>& kinds : {std::vector<std::size_t>{0, 1, 2, 3}, {0, 3}, {3}}) {
    const std::size_t tasks = 2 + number(6);
    const auto program = whatif::story::program(tasks, lines(tasks, kinds));
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
}

TEST_P(RandomPrograms, TheBoundsMeetIfAllOperationsAreOfAllUnits) {
  const std::size_t tasks = 2 + number(6);
  const auto program = whatif::story::program(tasks, lines(tasks, {0}));
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
