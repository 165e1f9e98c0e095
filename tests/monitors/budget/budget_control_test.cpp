#include "monitors/budget/budget_control.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <utility>

#include "tests/monitors/budget/simulated_application.h"

namespace eventspace {
namespace {

using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;
using What = BudgetStep::What;

constexpr EventClasses writes{1, 0};
constexpr EventClasses reads{1, 1};
constexpr EventClasses probes{3, EventClasses::all_classes};
constexpr RecordCosts costs{{40, 120}, {4, 8}, {1, 2}};

auto always(double rate) {
  return [rate](double /*at*/) { return rate; };
}

std::vector<BudgetStep> after(const SimulatedApplication& application, std::size_t first) {
  return {application.steps.begin() + static_cast<std::ptrdiff_t>(first), application.steps.end()};
}

TEST(BudgetControl, DoesNothingWhileThereIsRoom) {
  SimulatedApplication application({.budget = 0.01, .costs = costs}, {{writes, always(10'000)}});
  application.run(100);
  EXPECT_THAT(application.steps, IsEmpty());
  EXPECT_EQ(application.control.stretch(), 1U);
}

TEST(BudgetControl, ThinsTheMostFrequentClassAndLeavesTheOthers) {
  SimulatedApplication application({.budget = 0.01, .costs = costs},
                                   {{writes, always(2e6)}, {reads, always(20'000)}});
  application.run(120);
  EXPECT_THAT(application.period_of(writes), Ge(5U));
  EXPECT_EQ(application.period_of(reads), 1U);
  EXPECT_THAT(application.share(), Le(1.2 * 0.01));
  ASSERT_FALSE(application.steps.empty());
  EXPECT_EQ(application.steps.front().of, writes);
  EXPECT_TRUE(application.steps.front().is_tighter());
}

TEST(BudgetControl, PullsLessOftenFirstWhenWatchingIsWhatCosts) {
  SimulatedApplication application({.budget = 0.01, .costs = costs}, {{writes, always(1000)}});
  application.watching = 0.1;  // 2.5 % of four threads
  application.run(60);
  ASSERT_FALSE(application.steps.empty());
  EXPECT_EQ(application.steps.front().what, What::interval);
  EXPECT_THAT(application.control.stretch(), Ge(4U));
  EXPECT_EQ(application.period_of(writes), 1U);
  EXPECT_THAT(application.share(), Le(1.2 * 0.01));
}

TEST(BudgetControl, SwitchesClassesOffWhenCountingThemCostsTooMuch) {
  // At 8 ns each, counting 10 million events a second takes 2 % of four threads; if they are off, 0.5 %.
  SimulatedApplication application({.budget = 0.01, .costs = costs}, {{writes, always(1e7)}});
  application.run(60);
  EXPECT_EQ(application.period_of(writes), 0U);
  EXPECT_FALSE(application.control.has_given_up());
}

// The unrecorded events of classes that are off still cost.
TEST(BudgetControl, GivesUpWithEverythingOffWhenThatIsNotEnough) {
  SimulatedApplication application({.budget = 0.001, .costs = costs},
                                   {{writes, always(1e8)}, {reads, always(1e6)}});
  application.run(30);
  EXPECT_TRUE(application.control.has_given_up());
  EXPECT_EQ(application.period_of(writes), 0U);
  EXPECT_EQ(application.period_of(reads), 0U);
  EXPECT_EQ(application.steps.back().what, What::give_up);
  const std::size_t then = application.steps.size();
  application.run(30);
  EXPECT_THAT(after(application, then), IsEmpty());
}

TEST(BudgetControl, GivesUpWhenOnlyWatchingCostsTooMuch) {
  SimulatedApplication application({.budget = 0.001, .costs = costs}, {{writes, always(1000)}});
  application.watching = 0.5;
  application.run(40);
  EXPECT_TRUE(application.control.has_given_up());
}

TEST(BudgetControl, UndoesItsStepsWhenThereIsRoomAgain) {
  SimulatedApplication application({.budget = 0.01, .costs = costs},
                                   {{writes, [](double at) { return at < 60 ? 3e6 : 1000; }}});
  application.run(60);
  EXPECT_THAT(application.period_of(writes), Ge(5U));
  application.run(200);
  EXPECT_EQ(application.period_of(writes), 1U);
  EXPECT_FALSE(application.steps.back().is_tighter());
}

TEST(BudgetControl, RecordsAClassAgainThatWasOff) {
  SimulatedApplication application({.budget = 0.01, .costs = costs},
                                   {{writes, [](double at) { return at < 60 ? 1e7 : 1000; }}});
  application.run(60);
  EXPECT_EQ(application.period_of(writes), 0U);
  application.run(300);
  EXPECT_EQ(application.period_of(writes), 1U);
}

TEST(BudgetControl, ASteadyRateMakesNoMoreSteps) {
  for (const double rate : {1e5, 4e5, 1e6, 5e6, 2e7}) {
    SimulatedApplication application({.budget = 0.01, .costs = costs},
                                     {{writes, always(rate)}, {probes, always(rate / 3)}});
    application.run(300);
    const std::size_t then = application.steps.size();
    application.run(1000);
    EXPECT_THAT(after(application, then), IsEmpty()) << rate;
  }
}

// A phase of every length between looks and minutes; without the growing hold, each change would make steps.
TEST(BudgetControl, PhasesDoNotMakeItOscillate) {
  for (const double length : {2.0, 5.0, 13.0, 40.0}) {
    const auto phases = [length](double at) { return std::fmod(at, 2 * length) < length ? 3e6 : 20'000.0; };
    SimulatedApplication application({.budget = 0.01, .costs = costs}, {{writes, phases}});
    application.run(3600);
    EXPECT_THAT(application.steps.size(), Le(400U)) << length;
    EXPECT_THAT(application.share(), Le(1.2 * 0.01)) << length;
  }
}

TEST(BudgetControl, TheUpperEndStaysWithinTheBudgetOverBurstsPhasesAndIdleTimes) {
  int kept = 0;
  for (const double budget : {0.005, 0.01, 0.05}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      std::mt19937 random(seed);
      std::vector<double> rates(600);
      double rate = 1e5;
      for (double& at : rates) {
        if (random() % 20 == 0) rate = std::pow(10, 2 + 4.5 * static_cast<double>(random() % 1000) / 1000);
        at = random() % 50 == 0 ? 10 * rate : rate;  // a burst of one look
      }
      const auto of = [&rates](double part) {
        return [&rates, part](double at) { return part * rates.at(static_cast<std::size_t>(at)); };
      };
      SimulatedApplication application({.budget = budget, .costs = costs},
                                       {{writes, of(0.7)}, {reads, of(0.2)}, {probes, of(0.1)}});
      application.run(600);
      if (application.control.has_given_up()) continue;  // 20 million events a second cannot be kept in 0.5 %
      ++kept;
      EXPECT_THAT(application.share(), Le(1.2 * budget)) << budget << ", seed " << seed;
    }
  }
  EXPECT_THAT(kept, Ge(50));
}

// A program that waits for input is not slowed by being watched.
TEST(BudgetControl, WatchingAnIdleApplicationIsNotOverTheBudget) {
  SimulatedApplication application({.budget = 0.01, .costs = costs}, {{writes, always(10)}});
  application.threads = 0.001;
  application.run(200);
  EXPECT_FALSE(application.control.has_given_up());
  EXPECT_EQ(application.period_of(writes), 1U);
}

TEST(BudgetControl, WithoutTheRightToSwitchOnlyItsOwnCostCounts) {
  SimulatedApplication application({.budget = 0.01, .costs = costs, .may_switch = false},
                                   {{writes, always(1e7)}});
  application.watching = 0.08;
  application.run(200);
  EXPECT_FALSE(application.control.has_given_up());
  EXPECT_THAT(application.control.periods(), IsEmpty());
  EXPECT_THAT(application.control.stretch(), Ge(2U));
  for (const BudgetStep& step : application.steps) EXPECT_EQ(step.what, What::interval);
}

TEST(BudgetControl, ARecorderIsNotSlowedDown) {
  SimulatedApplication application({.budget = 0.01, .costs = costs, .may_stretch = false},
                                   {{writes, always(3e6)}});
  application.watching = 0.02;
  application.run(200);
  EXPECT_EQ(application.control.stretch(), 1U);
  EXPECT_THAT(application.share(), Le(1.2 * 0.01));
}

TEST(BudgetControl, AClassThatAUserHasSwitchedIsLeftAlone) {
  BudgetControl control({.budget = 0.01, .costs = costs});
  LookCounts counts{.elapsed = std::chrono::seconds(1), .recording_cpu = std::chrono::seconds(1)};
  counts.classes = {{.of = writes, .recorded = 1e6, .events = 1e6, .is_fixed = true},
                    {.of = reads, .recorded = 1e5, .events = 1e5}};
  for (int look = 0; look < 3; ++look)
    for (const BudgetStep& step : control.look(counts)) EXPECT_EQ(step.of, reads);
  EXPECT_FALSE(control.periods().contains(writes));
}

LookCounts a_second_of(std::vector<ClassLoad> classes) {
  return {.elapsed = std::chrono::seconds(1),
          .recording_cpu = std::chrono::seconds(1),
          .classes = std::move(classes)};
}

// One process had 1/10 before; the other recorded everything, and must come back to that.
TEST(BudgetControl, EachProcessGetsBackWhatWasFoundInIt) {
  BudgetControl control({.budget = 0.01, .costs = costs});
  const auto look = [&](double events) {
    const auto period = [&] {
      const auto found = control.periods().find(writes);
      return found == control.periods().end() ? 1U : found->second;
    }();
    const std::uint32_t of_first = std::max(period, 10U);
    return control.look(
        a_second_of({{.of = writes,
                      .recorded = events / of_first,
                      .events = events,
                      .period = of_first,
                      .least_period = 10},
                     {.of = writes, .recorded = events / period, .events = events, .period = period}}));
  };
  for (int i = 0; i < 10; ++i) look(3e5);
  ASSERT_TRUE(control.periods().contains(writes));
  ASSERT_THAT(control.periods().at(writes), Ge(2U));
  // Room for less than everything, and for more than 1/10 of the second process.
  for (int i = 0; i < 300; ++i)
    for (const BudgetStep& step : look(1e5)) EXPECT_FALSE(step.is_tighter()) << step.from << step.to;
  ASSERT_TRUE(control.periods().contains(writes));
  EXPECT_THAT(control.periods().at(writes), testing::AllOf(Ge(2U), Le(9U)));
  std::vector<std::uint32_t> to;
  for (int i = 0; i < 300; ++i)
    for (const BudgetStep& step : look(100)) to.push_back(step.to);
  EXPECT_THAT(control.periods(), IsEmpty());
  ASSERT_FALSE(to.empty());
  EXPECT_EQ(to.back(), 1U);
}

TEST(BudgetControl, AClassThatAUserHasSwitchedEverywhereIsForgottenWithoutAStep) {
  BudgetControl control({.budget = 0.01, .costs = costs});
  ASSERT_THAT(control.look(a_second_of({{.of = writes, .recorded = 1e6, .events = 1e6}})), Not(IsEmpty()));
  for (int i = 0; i < 100; ++i)
    EXPECT_THAT(control.look(a_second_of(
                    {{.of = writes, .recorded = 10, .events = 70, .period = 7, .is_fixed = true}})),
                IsEmpty());
  EXPECT_THAT(control.periods(), IsEmpty());
}

TEST(BudgetControl, AProcessInWhichAClassWasOffDoesNotKeepItThinned) {
  BudgetControl control({.budget = 0.01, .costs = costs});
  const ClassLoad off{.of = writes, .recorded = 0, .events = 10, .period = 0, .least_period = 0};
  ASSERT_THAT(control.look(a_second_of({off, {.of = writes, .recorded = 1e6, .events = 1e6}})),
              Not(IsEmpty()));
  for (int i = 0; i < 200; ++i) {
    const auto found = control.periods().find(writes);
    const std::uint32_t period = found == control.periods().end() ? 1 : found->second;
    control.look(a_second_of(
        {off, {.of = writes, .recorded = period == 0 ? 0 : 20.0 / period, .events = 20, .period = period}}));
  }
  EXPECT_THAT(control.periods(), IsEmpty());
}

TEST(BudgetControl, WhatDoesNotCountIsNotInTheCountedShare) {
  SimulatedApplication idle({.budget = 0.01, .costs = costs}, {{writes, always(10)}});
  idle.threads = 0.001;
  idle.run(100);
  EXPECT_THAT(idle.control.share(), Ge(0.02));
  EXPECT_THAT(idle.control.counted_share(), Le(0.01));
  SimulatedApplication observed({.budget = 0.01, .costs = costs, .may_switch = false},
                                {{writes, always(1e7)}});
  observed.run(100);
  EXPECT_THAT(observed.control.share(), Ge(0.02));
  EXPECT_THAT(observed.control.counted_share(), Le(0.01));
}

TEST(BudgetControl, ASettingThatWasFoundIsNeverReplacedByOneThatRecordsMore) {
  BudgetControl control({.budget = 0.01, .costs = costs});
  LookCounts counts{.elapsed = std::chrono::seconds(1), .recording_cpu = std::chrono::seconds(1)};
  counts.classes = {{.of = writes, .recorded = 1e6, .events = 1e7, .period = 10, .least_period = 10}};
  ASSERT_THAT(control.look(counts), Not(IsEmpty()));
  counts.classes = {{.of = writes, .recorded = 1, .events = 20, .period = 20, .least_period = 10}};
  for (int look = 0; look < 100; ++look)
    for (const BudgetStep& step : control.look(counts)) EXPECT_THAT(step.to, Ge(10U));
  EXPECT_THAT(control.periods(), IsEmpty());
}

}  // namespace
}  // namespace eventspace
