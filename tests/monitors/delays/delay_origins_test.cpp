#include "monitors/delays/delay_origins.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "monitors/delays/delay_report.h"

// The origins of delays, in programs made by a small model: no process, no socket, no clock.
namespace eventspace {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Finding = DelayReport::Finding;

Moment at(double us) { return Moment{.ns = static_cast<std::int64_t>(us * 1000)}; }

/// A program of threads that work, and exchange tuples through unbounded elements. It runs in virtual time,
/// in microseconds, and yields the steps that its records would have.
class Program {
 public:
  explicit Program(std::size_t threads) : time_(threads) {}

  Program& work(std::uint32_t thread, double us) {
    time_[thread] += us;
    return *this;
  }
  Program& write(std::uint32_t thread, std::uint64_t channel) {
    const std::uint64_t number = ++written_[channel];
    DelayStep step = step_of(thread, time_[thread], time_[thread] += 1);
    step.gives = DelaySignal{channel, number};
    written_at_[{channel, number}] = time_[thread];
    return add(step);
  }
  Program& take(std::uint32_t thread, std::uint64_t channel) {
    const DelaySignal tuple{channel, ++taken_[channel]};
    const double begin = time_[thread];
    time_[thread] = std::max(begin + 1, written_at_.at(tuple) + 0.5);
    DelayStep step = step_of(thread, begin, time_[thread]);
    step.awaits = tuple;
    return add(step);
  }
  /// All threads take part in operation `number` of a collective.
  Program& meet(std::uint64_t channel, std::uint64_t number) {
    const double last = *std::ranges::max_element(time_);
    for (std::uint32_t thread = 0; thread < time_.size(); ++thread) {
      DelayStep comes = step_of(thread, time_[thread], time_[thread]);
      comes.gives = DelaySignal{channel, number};
      add(comes);
      DelayStep waits = step_of(thread, time_[thread], last + 1);
      waits.awaits = comes.gives;
      add(waits);
    }
    std::ranges::fill(time_, last + 1);
    return *this;
  }
  [[nodiscard]] const std::vector<DelayStep>& steps() const { return steps_; }

 private:
  static DelayStep step_of(std::uint32_t thread, double begin, double end) {
    return {.thread = thread, .begin = at(begin), .end = at(end)};
  }
  Program& add(const DelayStep& step) {
    steps_.push_back(step);
    return *this;
  }

  std::vector<double> time_;
  std::map<std::uint64_t, std::uint64_t> written_, taken_;
  std::map<DelaySignal, double> written_at_;
  std::vector<DelayStep> steps_;
};

/// A ring in which each thread works, writes to both neighbours, and takes from both, in each round.
Program ring(std::uint32_t threads, int rounds, const std::map<std::uint32_t, double>& slower,
             double work = 1000, unsigned noise_seed = 0) {
  std::mt19937 random(noise_seed);
  std::normal_distribution<double> noise(0, noise_seed == 0 ? 1e-9 : 50);
  Program program(threads);
  const auto northwards = [](std::uint32_t thread) { return std::uint64_t{2} * thread; };
  const auto southwards = [](std::uint32_t thread) { return std::uint64_t{2} * thread + 1; };
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      const auto slow = slower.find(thread);
      program.work(thread,
                   work + std::max(noise(random), -work / 2) + (slow == slower.end() ? 0 : slow->second));
      program.write(thread, northwards(thread)).write(thread, southwards(thread));
    }
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      program.take(thread, northwards((thread + 1) % threads));
      program.take(thread, southwards((thread + threads - 1) % threads));
    }
  }
  return program;
}

DelayReport report_of(const std::vector<DelayStep>& steps) {
  DelayOrigins origins;
  for (const DelayStep& step : steps) origins.add(step);
  origins.give_up_all();
  return report_delays(origins);
}
DelayReport report_of(const Program& program) { return report_of(program.steps()); }

std::vector<std::uint32_t> causes_of(const DelayReport& report) {
  std::vector<std::uint32_t> causes;
  for (std::size_t i = 0; i < report.causes; ++i) causes.push_back(report.threads[i].thread);
  return causes;
}

TEST(DelayOrigins, TheSlowedThreadOfARingOfEightIsTheOriginOfAllWaiting) {
  for (const double work : {100.0, 1000.0, 4000.0, 20000.0}) {
    const DelayReport report = report_of(ring(8, 100, {{3, 4000}}, work));
    EXPECT_THAT(causes_of(report), ElementsAre(3)) << work;
    EXPECT_GT(report.threads[0].share, 0.99) << work;
    EXPECT_EQ(report.lost, 0) << work;
  }
}

TEST(DelayOrigins, SmallDifferencesBetweenTheOthersDoNotHideTheSlowedThread) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const DelayReport report = report_of(ring(8, 100, {{5, 400}}, 1000, seed));
    EXPECT_THAT(causes_of(report), ElementsAre(5)) << "seed " << seed;
  }
}

TEST(DelayOrigins, NoThreadOfABalancedRingStandsOut) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const DelayReport report = report_of(ring(8, 100, {}, 1000, seed));
    EXPECT_THAT(causes_of(report), IsEmpty()) << "seed " << seed;
    EXPECT_EQ(report.finding, Finding::spread) << "seed " << seed;
  }
  EXPECT_EQ(report_of(ring(8, 100, {})).finding, Finding::nothing) << "nothing differs at all";
}

TEST(DelayOrigins, AFewLongDelaysAreNotAFirstCause) {
  Program program = ring(8, 50, {{3, 4000}}, 1000);
  EXPECT_THAT(causes_of(report_of(program)), ElementsAre(3));
  // In each fiftieth round one thread is interrupted for long, mostly the same one.
  Program interrupted(8);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 50);
  for (int round = 0; round < 500; ++round) {
    for (std::uint32_t thread = 0; thread < 8; ++thread) {
      const bool is_interrupted = round % 50 == 7 && thread == (round % 150 == 7 ? 1U : 5U);
      interrupted.work(thread, 1000 + noise(random) + (is_interrupted ? 20'000 : 0));
      interrupted.write(thread, thread);
    }
    for (std::uint32_t thread = 0; thread < 8; ++thread) interrupted.take(thread, (thread + 1) % 8);
  }
  const DelayReport report = report_of(interrupted);
  EXPECT_THAT(causes_of(report), IsEmpty());
  EXPECT_EQ(report.threads[0].thread, 5U) << "it caused most";
}

TEST(DelayOrigins, TwoThreadsThatAreEquallySlowAreBothNamedAndShareTheWaiting) {
  const DelayReport report = report_of(ring(8, 200, {{1, 4000}, {5, 4000}}));
  EXPECT_THAT(causes_of(report), UnorderedElementsAre(1, 5));
  EXPECT_THAT(report.threads[0].share, DoubleNear(0.5, 0.05));
}

TEST(DelayOrigins, InAChainTheSlowOneIsNamedAndNotThoseThatPassItsDelayOn) {
  Program chain(6);
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t thread = 0; thread < 6; ++thread) {
      if (thread > 0) chain.take(thread, thread - 1);
      chain.work(thread, thread == 2 ? 3000 : 1000).write(thread, thread);
    }
  }
  const DelayReport report = report_of(chain);
  EXPECT_THAT(causes_of(report), ElementsAre(2));
  EXPECT_GT(report.threads[0].share, 0.95);
}

TEST(DelayOrigins, InATreeTheSlowLeafIsTheOriginOfTheWaitsOfAllAboveAndBesideIt) {
  // 0 is the root, 1 and 2 below it, 3 to 6 the leaves; values go up and results come down.
  Program tree(7);
  const auto up = [](std::uint32_t thread) { return std::uint64_t{thread}; };
  const auto down = [](std::uint32_t thread) { return std::uint64_t{100} + thread; };
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t thread = 6; thread > 0; --thread) {
      if (thread < 3) tree.take(thread, up(2 * thread + 1)).take(thread, up(2 * thread + 2));
      tree.work(thread, thread == 6 ? 2500 : 500).write(thread, up(thread));
    }
    tree.take(0, up(1)).take(0, up(2)).work(0, 100).write(0, down(1)).write(0, down(2));
    for (std::uint32_t thread = 1; thread < 7; ++thread) {
      tree.take(thread, down(thread));
      if (thread < 3) tree.write(thread, down(2 * thread + 1)).write(thread, down(2 * thread + 2));
    }
  }
  EXPECT_THAT(causes_of(report_of(tree)), ElementsAre(6));
}

TEST(DelayOrigins, InACollectiveTheLastIsNamedOnlyIfItWasNotLateBecauseOfAnother) {
  Program late(4);
  Program passed_on(4);
  for (std::uint64_t round = 1; round <= 50; ++round) {
    for (std::uint32_t thread = 0; thread < 4; ++thread) {
      late.work(thread, thread == 1 ? 2000 : 1000);
      passed_on.work(thread, thread == 1 ? 2000 : 1000);
    }
    late.meet(7, round);
    passed_on.write(1, 3).take(2, 3).work(2, 100).meet(7, round);  // 2 comes last, as it waits for 1
  }
  for (Program* const program : {&late, &passed_on}) {
    DelayOrigins origins;
    origins.expect(7, 4);
    for (const DelayStep& step : program->steps()) origins.add(step);
    const DelayReport report = report_delays(origins);
    EXPECT_THAT(causes_of(report), ElementsAre(1));
  }
}

TEST(DelayOrigins, ThreadsThatWorkInTurnCauseNoMoreThanTheyWait) {
  Program turns(2);
  for (int round = 0; round < 100; ++round)
    turns.work(0, 1000).write(0, 1).take(1, 1).work(1, 1000).write(1, 2).take(0, 2);
  EXPECT_THAT(causes_of(report_of(turns)), IsEmpty());
}

TEST(DelayOrigins, TheOrderInWhichTheRecordsOfDifferentThreadsComeDoesNotMatter) {
  const Program program = ring(8, 50, {{3, 2000}}, 1000, 7);
  const DelayReport expected = report_of(program);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    std::map<std::uint32_t, std::vector<DelayStep>> of_threads;
    for (const DelayStep& step : program.steps()) of_threads[step.thread].push_back(step);
    std::map<std::uint32_t, std::size_t> used;
    std::vector<DelayStep> shuffled;
    while (shuffled.size() < program.steps().size()) {
      const std::uint32_t thread = random() % 8;
      if (used[thread] < of_threads[thread].size()) shuffled.push_back(of_threads[thread][used[thread]++]);
    }
    const DelayReport report = report_of(shuffled);
    EXPECT_DOUBLE_EQ(report.waited, expected.waited);
    ASSERT_EQ(report.threads.size(), expected.threads.size());
    EXPECT_NEAR(report.threads[0].sum.cost, expected.threads[0].sum.cost, 1);
    EXPECT_EQ(report.threads[0].thread, 3U);
  }
}

// Leaves out the steps of these threads between two times; the next step is marked as following a gap.
std::vector<DelayStep> without(const Program& program, const std::set<std::uint32_t>& threads, double from,
                               double until) {
  std::vector<DelayStep> left;
  std::set<std::uint32_t> have_gap;
  for (DelayStep step : program.steps()) {
    if (threads.contains(step.thread) && step.begin.ns >= at(from).ns && step.begin.ns < at(until).ns) {
      have_gap.insert(step.thread);
      continue;
    }
    step.follows_gap = have_gap.erase(step.thread) > 0;
    left.push_back(step);
  }
  return left;
}

TEST(DelayOrigins, WaitsAcrossMissingRecordsAreUnknownAndTheOthersKeepTheirOrigin) {
  const Program program = ring(8, 100, {{3, 4000}});
  const DelayReport report = report_of(without(program, {4}, 100'000, 200'000));
  EXPECT_THAT(causes_of(report), ElementsAre(3));
  EXPECT_GT(report.lost, 0);
  EXPECT_LT(report.lost, report.waited);
}

TEST(DelayOrigins, WithoutTheRecordsOfTheSlowedThreadNoOtherOneIsBlamed) {
  const Program program = ring(8, 100, {{3, 4000}});
  const DelayReport report = report_of(without(program, {3}, 0, 1e12));
  EXPECT_EQ(report.finding, Finding::unknown);
  EXPECT_THAT(causes_of(report), IsEmpty());
}

TEST(DelayOrigins, ATakeInTimeIsNotAWait) {
  Program program(2);
  for (int round = 0; round < 100; ++round) program.work(0, 10).write(0, 1);
  for (int round = 0; round < 100; ++round) program.work(1, 50).take(1, 1);
  EXPECT_EQ(report_of(program).finding, Finding::nothing);
}

TEST(DelayOrigins, AWaitThatIsShorterThanTheErrorOfTheClocksCountsNowhere) {
  const Program program = ring(8, 100, {{3, 4000}});
  DelayOrigins origins;
  for (DelayStep step : program.steps()) {
    step.begin.error_ns = step.end.error_ns = 10'000'000;
    origins.add(step);
  }
  EXPECT_EQ(report_delays(origins).finding, Finding::nothing);
  EXPECT_GT(origins.unclear(), 0U);
}

TEST(DelayOrigins, MemoryIsBoundedAndWhatExceedsItIsUnknownAndCounted) {
  DelayOrigins::Limits limits;
  limits.threads = 4;
  limits.steps = 50;
  limits.signals = 20;
  limits.pairs = 3;
  DelayOrigins origins(limits);
  const Program program = ring(8, 200, {{3, 4000}});
  for (const DelayStep& step : program.steps()) origins.add(step);
  origins.give_up_all();
  EXPECT_EQ(origins.sums().size(), 4U);
  EXPECT_GT(origins.left_out(), 0U);
  EXPECT_GT(report_delays(origins).lost, 0);
}

TEST(DelayOrigins, FadingKeepsTheFindingAndLetsANewCauseTakeOver) {
  DelayOrigins origins;
  const Program before = ring(8, 100, {{3, 4000}});
  for (const DelayStep& step : before.steps()) origins.add(step);
  origins.fade(0.5);
  EXPECT_THAT(causes_of(report_delays(origins)), ElementsAre(3));
  const Program both = ring(8, 100, {{3, 4000}});
  origins = DelayOrigins();
  for (const DelayStep& step : both.steps()) origins.add(step);
  origins.fade(0.01);
  const Program after = ring(8, 100, {{6, 4000}});
  for (DelayStep step : after.steps()) {
    step.begin.ns += 1'000'000'000;
    step.end.ns += 1'000'000'000;
    for (auto* const signal : {&step.awaits, &step.gives})
      if (*signal) (*signal)->number += 100;
    origins.add(step);
  }
  EXPECT_THAT(causes_of(report_delays(origins)), ElementsAre(6));
}

TEST(OriginShares, KeepTheLargestSharesAndTheirSum) {
  OriginShares shares;
  for (std::uint32_t origin = 0; origin < 1000; ++origin) shares.add(origin, origin + 1.0);
  EXPECT_EQ(shares.entries().size(), OriginShares::most);
  EXPECT_DOUBLE_EQ(shares.all(), 1000 * 1001 / 2);
  EXPECT_EQ(shares.of(999), 1000);
  EXPECT_EQ(shares.of(0), 0) << "in the unknown part";
  OriginShares later = shares;
  later.add(999, 5);
  EXPECT_DOUBLE_EQ(later.since(shares).all(), 5);
}

}  // namespace
}  // namespace eventspace
