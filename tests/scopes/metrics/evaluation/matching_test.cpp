// Matching passages of several probes when the measurement has not seen all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "tests/scopes/metrics/distribution/divided_run.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::metrics {
namespace {

using test::DividedRun;
using test::Measured;
using test::ObservedRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string loop_time =
    "Loop_time(Process p, VirtualTime vt): Unit(\"ms\") { PROBE loop_start(Process, VirtualTime); "
    "PROBE loop_stop(Process, VirtualTime); "
    "RETURN Time(NOW) AT loop_stop(p, vt) - Time(NOW) AT loop_start(p, vt); }";

class MatchingTest : public testing::Test {
 protected:
  /// A metric, evaluated in one place and by servers.
  void measure(std::string_view metric, const std::string& text = "", MeasurementChoice choice = {}) {
    const Definition definition = test::defined(metric, text);
    central = std::make_unique<Measurement>(definition, choice, run.names);
    central->start(ObservedRun::ns(1));
    for (const std::size_t servers : {1, 2})
      divided.push_back(
          std::make_unique<DividedRun>(definition, choice, servers, ObservedRun::ns(1), run.names));
  }
  static std::string written(const MetricValue& value, const Measurement& of) {
    std::string text = value.objects.empty() ? "" : value.objects[0];
    if (value.virtual_time) text += fmt::format("@{}", *value.virtual_time);
    if (!text.empty()) text += "=";
    if (!value.datum.is_good()) return text + std::string(to_string(value.datum.problem));
    return text + fmt::format("{:.6g}", value.datum.number / of.definition().unit.scale);
  }
  static std::vector<std::string> written(const std::vector<MetricValue>& values, const Measurement& of) {
    std::vector<std::string> all;
    for (const auto& value : values) all.push_back(written(value, of));
    return all;
  }
  /// The values, which are the same in one place and from servers.
  std::vector<std::string> at(double ms) {
    const View view = run.view(ms);
    central->take(view);
    const auto values = written(central->read(ObservedRun::ns(ms)), *central);
    for (const auto& each : divided) {
      each->add(view);
      each->pull([](std::size_t) { return true; });
      EXPECT_EQ(written(each->measurement().read(ObservedRun::ns(ms)), each->measurement()), values);
      EXPECT_EQ(each->measurement().unmatched_in_all(), central->unmatched_in_all());
    }
    return values;
  }

  ObservedRun run;
  std::unique_ptr<Measurement> central;
  std::vector<std::unique_ptr<DividedRun>> divided;
};

TEST_F(MatchingTest, PairsBelongTogetherByThePassagesOfTheProgramAlsoFromItsMiddle) {
  measure("Loop_time", loop_time);
  run.pass_again(0, 2, "loop_stop", 40);  // began before the measurement
  for (std::uint64_t i = 41; i < 44; ++i) {
    run.pass_again(0, 10.0 * static_cast<double>(i), "loop_start", i);
    run.pass_again(0, 10.0 * static_cast<double>(i) + 8, "loop_stop", i);
  }
  run.pass_again(0, 440, "loop_start", 44);
  EXPECT_THAT(at(445), ElementsAre("p0@41=8", "p0@42=8", "p0@43=8"));
  EXPECT_EQ(central->unmatched(), 1U);
  run.pass_again(0, 448, "loop_stop", 44);
  EXPECT_THAT(at(449), ElementsAre("p0@44=8"));
  EXPECT_EQ(central->unmatched(), 1U);
}

TEST_F(MatchingTest, WhatIsLeftOutIsCountedForEachReading) {
  measure("Loop_time", loop_time, {.span = Span::since_last});
  run.pass_again(0, 2, "loop_stop", 4);
  run.pass_again(0, 3, "loop_start", 5);
  run.pass_again(0, 4, "loop_stop", 5);
  (void)at(5);
  EXPECT_EQ(central->unmatched(), 1U);
  run.pass_again(0, 6, "loop_start", 6);
  run.pass_again(0, 7, "loop_stop", 6);
  (void)at(8);
  EXPECT_EQ(central->unmatched(), 0U);
  EXPECT_EQ(central->unmatched_in_all(), 1U);
}

TEST_F(MatchingTest, ARecordThatWasLostTakesItsPairWithItAndNoOther) {
  measure("Loop_time", loop_time);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const double ms = 2 + 10.0 * static_cast<double>(i);
    if (i != 2 && i != 4) run.pass_again(0, ms, "loop_start", i);
    if (i != 3 && i != 4) run.pass_again(0, ms + 8, "loop_stop", i);
  }
  EXPECT_THAT(at(100), ElementsAre("p0@0=8", "p0@1=8", "p0@5=8"));
  EXPECT_EQ(central->unmatched(), 2U) << "of the fourth nothing was seen at all";
}

TEST_F(MatchingTest, PassagesThatTheProgramDidNotNumberAreLeftOutAndCounted) {
  measure("Loop_time", loop_time);
  run.pass(0, 2, "loop_start", uncounted_passage, 0);
  run.pass(0, 4, "loop_stop", uncounted_passage, 0);
  EXPECT_THAT(at(5), IsEmpty());
  EXPECT_EQ(central->lost(), 2U);
  for (const auto& each : divided) EXPECT_EQ(each->measurement().lost(), 2U);
}

TEST_F(MatchingTest, AnImbalanceFromTheMiddleIsThatOfWholeSteps) {
  measure("Load_imbalance_at_barrier");
  // Process 1 comes 90 ms late to each barrier; the measurement begins after its start of step 7.
  const auto step = [&](std::uint64_t i) {
    const double ms = 2 + 100.0 * static_cast<double>(i - 7);
    if (i > 7) run.pass_again(1, ms, "loop_start", i);
    run.pass_again(0, ms, "loop_start", i);
    run.barrier(0, ms, ms + 90);
    run.barrier(1, ms + 90, ms + 90);
    run.pass_again(0, ms + 90, "loop_stop", i);
    run.pass_again(1, ms + 90, "loop_stop", i);
  };
  for (std::uint64_t i = 7; i < 10; ++i) step(i);
  EXPECT_THAT(at(400), ElementsAre("@8=100", "@9=100"));
  EXPECT_EQ(central->unmatched(), 1U);
}

TEST_F(MatchingTest, AStepThatOneProcessEndedBeforeTheMeasurementHasNoValueOfTheOthers) {
  measure("Longest", loop_time +
                         "Longest(Process[] procs, VirtualTime vt): Unit(\"ms\") { Process p; "
                         "RETURN MAX(Loop_time(p, vt) WHERE p IN procs); }");
  run.pass_again(0, 2, "loop_start", 5);
  run.pass_again(0, 3, "loop_stop", 5);
  for (std::uint32_t process = 0; process < 2; ++process) {
    run.pass_again(process, 4, "loop_start", 6);
    run.pass_again(process, 5 + 4 * process, "loop_stop", 6);
  }
  EXPECT_THAT(at(20), ElementsAre("@6=5"));
  EXPECT_EQ(central->unmatched(), 1U);
}

TEST_F(MatchingTest, TheSameHoldsForVirtualTimesThatWerePassedBeforeTheMeasurement) {
  measure("Longest", loop_time +
                         "Longest(Process[] procs, VirtualTime vt): Unit(\"ms\") { Process p; "
                         "RETURN MAX(Loop_time(p, vt) WHERE p IN procs); }");
  run.pass(1, 0.2, "loop_start", 5);  // the measurement begins at 1 ms
  run.pass(1, 0.4, "loop_stop", 5);
  run.pass(0, 0.6, "loop_start", 5);
  run.pass(0, 3, "loop_stop", 5);
  for (std::uint32_t process = 0; process < 2; ++process) {
    run.pass(process, 4, "loop_start", 6);
    run.pass(process, 5 + 4 * process, "loop_stop", 6);
  }
  EXPECT_THAT(at(20), ElementsAre("@6=5"));
  EXPECT_EQ(central->unmatched(), 1U);
}

TEST_F(MatchingTest, TheFirstStepThatIsSeenHasNoTimeSinceTheOneBefore) {
  measure("Iteration_time");
  for (std::uint64_t i = 30; i < 33; ++i)
    run.pass_again(0, 2 + 10.0 * static_cast<double>(i - 30), "iteration_end", i);
  EXPECT_THAT(at(100), ElementsAre("p0@31=10", "p0@32=10"));
  EXPECT_EQ(central->unmatched(), 0U) << "it is none that was seen in part";
  run.pass_again(0, 110, "iteration_end", 35);
  run.pass_again(0, 120, "iteration_end", 36);
  EXPECT_THAT(at(130), ElementsAre("p0@36=10"));
  EXPECT_EQ(central->unmatched(), 1U) << "two were not seen";
}

TEST_F(MatchingTest, PassagesOfAProcessAreThoseOfItsThreadsTogether) {
  measure("Loop_Counter");
  for (std::uint64_t i = 0; i < 4; ++i)
    for (std::uint32_t thread = 0; thread < 3; ++thread)
      run.pass_again(0, 2 + static_cast<double>(i), "iteration_end", 100 * thread + i, thread);
  EXPECT_THAT(at(20), ElementsAre("p0=12"));
  EXPECT_EQ(central->repeated(), 0U);
}

TEST_F(MatchingTest, AThreadThatGetsTheNumberOfOneThatHasEndedGoesOnCounting) {
  measure("Loop_Counter");
  for (std::uint64_t i = 0; i < 3; ++i) run.pass_again(0, 2 + static_cast<double>(i), "iteration_end", i);
  for (std::uint64_t i = 0; i < 2; ++i) run.pass_again(0, 8 + static_cast<double>(i), "iteration_end", i);
  EXPECT_THAT(at(20), ElementsAre("p0=5"));
}

TEST_F(MatchingTest, ASteadyLoopHasItsRateSinceTheStartAndSinceTheLastReading) {
  measure("Iteration_rate", "", {.span = Span::since_last});
  Measured since_start(run, "Iteration_rate");
  std::uint64_t passage = 0;
  for (int reading = 1; reading <= 4; ++reading) {
    for (; passage < static_cast<std::uint64_t>(reading) * 10; ++passage)
      run.pass_again(0, 11.0 + 20.0 * static_cast<double>(passage), "iteration_end", passage);
    const double ms = 1 + 200.0 * reading;
    const View view = run.view(ms);
    since_start->take(view);
    central->take(view);
    for (auto* const each : {central.get(), &*since_start})
      EXPECT_NEAR(each->read(ObservedRun::ns(ms)).at(0).datum.number, 50.0, 1e-9);
    for (const auto& each : divided) {
      each->add(view);
      each->pull([](std::size_t) { return true; });
      EXPECT_NEAR(each->measurement().read(ObservedRun::ns(ms)).at(0).datum.number, 50.0, 1e-9);
    }
  }
}

TEST_F(MatchingTest, ALoopThatStandsStillHasTheRateZero) {
  measure("Iteration_rate", "", {.span = Span::since_last});
  run.pass_again(0, 2, "iteration_end", 0);
  (void)at(101);
  EXPECT_THAT(at(201), ElementsAre("p0=0"));
}

TEST_F(MatchingTest, NoTimeBetweenTwoProbesIsNegative) {
  measure("Loop_time", loop_time);
  // The process has joined between the two probes: each stop counts as the stop of the next start.
  for (std::uint64_t i = 0; i < 3; ++i) {
    run.pass_again(0, 2 + 10.0 * static_cast<double>(i), "loop_stop", i);
    run.pass_again(0, 4 + 10.0 * static_cast<double>(i), "loop_start", i);
  }
  EXPECT_THAT(at(100), IsEmpty());
  EXPECT_EQ(central->unmatched(), 3U);
}

TEST_F(MatchingTest, AVirtualTimeWithOneOfTwoProbesIsCounted) {
  measure("Loop_time", loop_time);
  for (std::uint64_t vt = 1; vt < 5; ++vt) {
    run.pass(0, 10.0 * static_cast<double>(vt), "loop_start", vt);
    if (vt != 2) run.pass(0, 10.0 * static_cast<double>(vt) + 3, "loop_stop", vt);
  }
  EXPECT_THAT(at(100), ElementsAre("p0@1=3", "p0@3=3", "p0@4=3"));
  EXPECT_EQ(central->unmatched(), 1U);
}

TEST_F(MatchingTest, AnAggregateOverAnIntervalCountsWhatItLeavesOut) {
  measure("Mean_loop", loop_time +
                           "Mean_loop(Process p, TimeInterval t): Unit(\"ms\") { VirtualTime vt; Value[] x; "
                           "x[vt] = Loop_time(p, vt); RETURN MEAN(x[vt] WHERE x[vt].time IN t); }");
  run.pass_again(0, 2, "loop_stop", 8);
  for (std::uint64_t i = 9; i < 12; ++i) {
    run.pass_again(0, 10.0 * static_cast<double>(i), "loop_start", i);
    if (i != 10) run.pass_again(0, 10.0 * static_cast<double>(i) + 4, "loop_stop", i);
  }
  EXPECT_THAT(at(200), ElementsAre("p0=4"));
  EXPECT_EQ(central->unmatched(), 2U);
}

TEST_F(MatchingTest, RunsFromTheMiddleWithLossesHaveTheRightTimesInOnePlaceAndFromServers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    run = ObservedRun();
    divided.clear();
    measure("Loop_time", loop_time);
    std::mt19937_64 random(seed);
    std::array<std::uint64_t, 3> next{random() % 50, random() % 50, random() % 50};
    double ms = 2;
    for (int reading = 0; reading < 5; ++reading) {
      for (int i = 0; i < 12; ++i) {
        const auto process = static_cast<std::uint32_t>(random() % next.size());
        const std::uint64_t passage = next[process]++;
        if (random() % 4 != 0) run.pass_again(process, ms += 1, "loop_start", passage);
        ms += 7;
        if (random() % 4 != 0) run.pass_again(process, ms, "loop_stop", passage);
      }
      for (const std::string& value : at(ms += 1)) EXPECT_TRUE(value.ends_with("=7")) << value;
    }
  }
}

}  // namespace
}  // namespace eventspace::metrics
