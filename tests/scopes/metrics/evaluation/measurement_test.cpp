#include "scopes/metrics/evaluation/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"
#include "tests/scopes/metrics/metric_talk.h"

namespace eventspace::metrics {
namespace {

using test::Measured;
using test::ObservedRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MeasurementTest : public testing::Test {
 protected:
  static MeasurementChoice since_last() { return {.span = Span::since_last}; }

  ObservedRun run;
};

// --- counters ------------------------------------------------------------------------------------

TEST_F(MeasurementTest, ABuiltInMetricIsTheSumOverItsObjects) {
  Measured bytes(run, "Sent", "Sent(Process[] procs, TimeInterval t) { RETURN Send_volume(procs, t); }");
  run.write(0, 2, 3, 100);
  run.write(1, 2, 3, 20);
  EXPECT_THAT(bytes.at(5), ElementsAre("120"));
  run.write(1, 6, 7, 3);
  EXPECT_THAT(bytes.at(10), ElementsAre("123"));
}

TEST_F(MeasurementTest, SinceTheLastReadingItIsTheDifference) {
  Measured bytes(run, "Sent", "Sent(Process[] procs, TimeInterval t) { RETURN Send_volume(procs, t); }",
                 since_last());
  run.write(0, 2, 3, 100);
  EXPECT_THAT(bytes.at(5), ElementsAre("100"));
  run.write(0, 6, 7, 3);
  EXPECT_THAT(bytes.at(10), ElementsAre("3"));
  EXPECT_THAT(bytes.at(15), ElementsAre("0"));
}

TEST_F(MeasurementTest, AParameterForOneObjectYieldsAValueForEach) {
  Measured share(run, "Communication_share");
  run.write(0, 2, 4, 100);
  run.write(2, 2, 3, 20);
  EXPECT_THAT(share.at(11), ElementsAre("p0=20", "p2=10"));
}

TEST_F(MeasurementTest, TheObjectsCanBeChosen) {
  Measured share(run, "Communication_share", "", {.objects = {{0, "p[1-2]"}}});
  run.write(0, 2, 4, 100);
  run.write(2, 2, 3, 20);
  EXPECT_THAT(share.at(11), ElementsAre("p2=10"));
}

TEST_F(MeasurementTest, OfAnEventThatBeganBeforeOnlyTheRestCounts) {
  Measured share(run, "Communication_share");
  run.write(0, 0, 3, 100);
  EXPECT_THAT(share.at(11), ElementsAre("p0=20"));
}

TEST_F(MeasurementTest, WhatEndedBeforeDoesNotCount) {
  Measured share(run, "Communication_share");
  run.write(0, 0, 0.5, 100);
  EXPECT_THAT(share.at(11), ElementsAre("p0=0"));
}

TEST_F(MeasurementTest, WithoutAProcessThereIsNoValue) {
  Measured share(run, "Communication_share");
  EXPECT_THAT(share.at(11), IsEmpty());
  EXPECT_FALSE(share->has_objects());
}

TEST_F(MeasurementTest, ARateIsDividedByTheLengthOfTheInterval) {
  Measured rate(run, "Operations_per_second", "", since_last());
  for (int i = 0; i < 10; ++i) run.write(0, 2 + i, 2.5 + i, 1);
  EXPECT_THAT(rate.at(21), ElementsAre("500"));
  run.write(0, 22, 23, 1);
  EXPECT_THAT(rate.at(26), ElementsAre("200"));
}

TEST_F(MeasurementTest, PerSecondAValueOfAVirtualTimeIsDividedByTheTimeBetweenItsProbes) {
  MeasurementChoice choice;
  choice.per_second = true;
  Measured rate(run, "M",
                "M(Process p, VirtualTime vt) { PROBE end(Process, VirtualTime); "
                "RETURN Send_count(p, [START, NOW]) AT end(p, vt) - Send_count(p, [START, NOW]) AT end(p, vt "
                "- 1); }",
                choice);
  run.pass(0, 11, "end", 1);
  for (int i = 0; i < 10; ++i) run.write(0, 12, 13, 1);
  run.pass(0, 21, "end", 2);
  EXPECT_THAT(rate.at(101), ElementsAre("p0@2=1000")) << "in the 10 ms between the probes";
}

TEST_F(MeasurementTest, OnlyValuesOverATimeCanBeDividedByIt) {
  const auto is_over_time = [](const std::string& parameters, const std::string& value) {
    const std::string text = fmt::format(
        "M({}) {{ PROBE begin(Process, VirtualTime); PROBE end(Process, VirtualTime); RETURN {}; }}",
        parameters, value);
    MetricLibrary library;
    EXPECT_THAT(test::described(library.add(text)), IsEmpty());
    return define(library.metrics(), 0).is_over_time();
  };
  EXPECT_TRUE(is_over_time("Process p, TimeInterval t", "Send_count(p, t)"));
  EXPECT_FALSE(is_over_time("Process p, TimePoint t", "Memory_size(p, t)"));
  const std::string step = "Process p, VirtualTime vt";
  EXPECT_FALSE(is_over_time(step, "Send_count(p, [START, NOW]) AT end(p, vt)"));
  EXPECT_FALSE(is_over_time(step, "Send_count(p, [START, NOW]) AT end(p, vt) + 1 AT end(p, vt)"));
  EXPECT_TRUE(is_over_time(step, "Time(NOW) AT end(p, vt) - Time(NOW) AT begin(p, vt)"));
  EXPECT_TRUE(is_over_time(step, "Time(NOW) AT end(p, vt) - Time(NOW) AT end(p, vt - 1)"));
}

TEST_F(MeasurementTest, DivisionByZeroIsAnErrorOfTheValue) {
  Measured size(run, "Mean_message_size", "", since_last());
  run.write(0, 2, 3, 2048);
  EXPECT_THAT(size.at(5), ElementsAre("2"));
  EXPECT_THAT(size.at(6), ElementsAre("division by zero"));
}

TEST_F(MeasurementTest, AConditionChoosesEvents) {
  Measured count(run, "Large",
                 "Large(Process[] procs, TimeInterval t) { RETURN Event_count(procs, \"bytes >= 100\", t) + "
                 "Event_sum(procs, \"bytes / 100\", \"bytes >= 100\", t); }");
  run.write(0, 2, 3, 99);
  run.write(0, 3, 4, 200);
  EXPECT_THAT(count.at(5), ElementsAre("3"));
}

TEST_F(MeasurementTest, ARecordOfSeveralCallsCountsEachOfThem) {
  const auto measured = [](const std::string& count) {
    ObservedRun run;
    Measured calls(run, "Calls", "Calls(Process p, TimeInterval t) { RETURN " + count + "; }");
    for (int i = 1; i <= 4; ++i) run.look(0, i, i + 0.5, 1000);
    run.look(1, 2, 3, 1);
    return calls.at(6);
  };
  EXPECT_THAT(measured("Call_count(p, t)"), ElementsAre("p0=4000", "p1=1"));
  EXPECT_THAT(measured("Event_count(p, \"calls > 1\", t)"), ElementsAre("p0=4000", "p1=0"));
}

TEST_F(MeasurementTest, LostEventsMakeTheValuesIncomplete) {
  Measured bytes(run, "Operations_per_second");
  EXPECT_EQ(bytes->lost(), 0U);
  run.write(0, 2, 3, 1);
  run.lose(7);
  (void)bytes.at(5);
  (void)bytes.at(6);
  EXPECT_EQ(bytes->lost(), 7U);
  Measured last(run, "Operations_per_second", "", since_last());
  run.lose(7);
  (void)last.at(5);
  EXPECT_EQ(last->lost(), 7U);
  (void)last.at(6);
  EXPECT_EQ(last->lost(), 0U);
}

// --- probes
TEST_F(MeasurementTest, FileOperationsAreNoCommunication) {
  Measured all(run, "M",
               "M(Process p, TimeInterval t) { RETURN File_write_volume(p, t) / 1B + 1000000 * "
               "File_read_count(p, t) + 1000 * Communication_count(p, t) + 100000 * File_count(p, t); }");
  run.use_file(0, 2, 3, MpiClass::file);
  run.use_file(0, 3, 5, MpiClass::output, 77);
  run.use_file(0, 5, 6, MpiClass::input, 500);
  run.write(0, 6, 7, 10);
  EXPECT_THAT(all.at(10), ElementsAre("p0=1.30108e+06"));
  Measured time(run, "M", "M(Process p, TimeInterval t): Unit(\"ms\") { RETURN File_delay(p, t); }");
  run.use_file(0, 2, 3, MpiClass::file);
  run.use_file(0, 3, 5, MpiClass::output, 77);
  run.use_file(0, 5, 6, MpiClass::input, 500);
  EXPECT_THAT(time.at(10), ElementsAre("p0=4"));
}

// Section 3.2.3 of the thesis: 900 MB in 6 s, read each second.
TEST_F(MeasurementTest, OfAFileThatIsBeingWrittenThereIsNoValueUntilItIsWritten) {
  Measured rate(run, "M",
                "M(Process p, TimeInterval t): Unit(\"MiB/s\") { RETURN RATE(File_write_volume(p, t)); }",
                since_last());
  EXPECT_THAT(rate.at(1000), IsEmpty());
  for (int second = 2; second <= 6; ++second) {
    run.begin_file(0, 1000);
    EXPECT_THAT(rate.at(1000 * second), ElementsAre("p0=absent")) << second;
  }
  run.use_file(0, 1000, 7000, MpiClass::output, std::uint64_t{900} << 20);
  EXPECT_THAT(rate.at(7000), ElementsAre("p0=150"));
}

TEST_F(MeasurementTest, ThePartnersCanBeChosen) {
  Measured bytes(run, "Sent",
                 "Sent(Process p, Process partner, TimeInterval t) { RETURN Send_volume(p, partner, t); }");
  run.write(0, 2, 3, 100, 0, 10);
  run.write(0, 3, 4, 20, 0, 20);
  run.write(1, 4, 5, 3, 0, 0);
  run.write(2, 5, 6, 0);
  EXPECT_THAT(bytes.at(10), ElementsAre("p0+p0=0", "p0+p1=100", "p0+p2=20", "p1+p0=3", "p1+p1=0", "p1+p2=0",
                                        "p2+p0=0", "p2+p1=0", "p2+p2=0"));
}

TEST_F(MeasurementTest, WhatIsSentToPartnersBetweenTwoProbes) {
  Measured bytes(run, "Send_volume_for_interaction_vt", "", {.objects = {{1, "p1"}}});
  run.write(1, 1.5, 1.6, 1, 0, 0);
  run.write(0, 2, 3, 100, 0, 10);
  run.pass(0, 4, "begin_send", 1);
  run.pass(1, 4, "begin_send", 1);
  run.write(0, 5, 6, 20, 0, 10);
  run.write(0, 6, 7, 7, 0, 20);
  run.pass(0, 8, "end_send", 1);
  run.pass(1, 8, "end_send", 1);
  EXPECT_THAT(bytes.at(10), ElementsAre("@1=20"));
}

// -------------------------------------------------------------------------------------------------

TEST_F(MeasurementTest, ABeatOfAProbeIsTheTimeBetweenItsPassages) {
  Measured time(run, "Iteration_time");
  run.pass(0, 2, "iteration_end", 1);
  run.pass(0, 5, "iteration_end", 2);
  EXPECT_THAT(time.at(6), ElementsAre("p0@2=3"));
  run.pass(0, 9, "iteration_end", 3);
  EXPECT_THAT(time.at(10), ElementsAre("p0@3=4"));
  EXPECT_THAT(time.at(11), IsEmpty());
}

TEST_F(MeasurementTest, WithoutAVirtualTimeThePassagesAreNumbered) {
  Measured time(run, "Iteration_time");
  for (int i = 0; i < 3; ++i) run.pass(0, 2 + i * i, "iteration_end");
  EXPECT_THAT(time.at(10), ElementsAre("p0@1=1", "p0@2=3"));
}

TEST_F(MeasurementTest, AVirtualTimeThatIsLeftOutHasNoValue) {
  Measured time(run, "Iteration_time");
  run.pass(0, 2, "iteration_end", 1);
  run.pass(0, 3, "iteration_end", 7);
  run.pass(0, 5, "iteration_end", 8);
  EXPECT_THAT(time.at(10), ElementsAre("p0@8=2"));
}

TEST_F(MeasurementTest, AVirtualTimeThatBeginsAgainIsAnotherOne) {
  Measured time(run, "Iteration_time");
  for (int i = 0; i < 6; ++i) run.pass(0, 2 + i, "iteration_end", 1 + i % 3);
  EXPECT_THAT(time.at(10), ElementsAre("p0@2=1", "p0@3=1", "p0@2=1", "p0@3=1"));
}

TEST_F(MeasurementTest, OfRepeatedPassagesInOneVirtualTimeTheFirstCounts) {
  Measured count(run, "Loop_Counter");
  run.pass(0, 2, "iteration_end", 1);
  run.pass(0, 3, "iteration_end", 1, 0.0, 1);
  run.pass(0, 4, "iteration_end", 2);
  EXPECT_THAT(count.at(10), ElementsAre("p0=2"));
  EXPECT_EQ(count->repeated(), 1U);
}

TEST_F(MeasurementTest, IterationsAreCountedSinceTheStartOrTheLastReading) {
  Measured since_start(run, "Loop_Counter");
  Measured last(run, "Loop_Counter", "", since_last());
  for (int i = 0; i < 5; ++i) run.pass(0, 2 + i, "iteration_end", i);
  const View view = run.view();
  since_start->take(view);
  last->take(view);
  EXPECT_THAT(since_start.at(10), ElementsAre("p0=5"));
  EXPECT_THAT(last.at(10), ElementsAre("p0=5"));
  EXPECT_THAT(since_start.at(11), ElementsAre("p0=5"));
  EXPECT_THAT(last.at(11), ElementsAre("p0=0"));
}

TEST_F(MeasurementTest, TheMeanOfIterations) {
  Measured mean(run, "Mean_iteration_time");
  run.pass(0, 2, "iteration_end", 1);
  run.pass(0, 3, "iteration_end", 2);
  run.pass(0, 7, "iteration_end", 3);
  EXPECT_THAT(mean.at(10), ElementsAre("p0=2.5"));
}

TEST_F(MeasurementTest, OtherAggregatesOverIterations) {
  run.pass(0, 2, "iteration_end", 1);
  for (int i = 0; i < 20; ++i) run.pass(0, 3 + i, "iteration_end", 2 + i);
  run.pass(0, 40, "iteration_end", 22);
  const View view = run.view();
  for (const auto& [metric, value] :
       {std::pair("Slowest_iteration", "p0=18"), {"Iteration_time_p95", "p0=1"}}) {
    Measured measured(run, metric);
    measured->take(view);
    EXPECT_THAT(measured.at(50), ElementsAre(value)) << metric;
  }
}

TEST_F(MeasurementTest, ACounterIsTakenAtTheProbe) {
  Measured share(run, "Comm_delay_per_loop_execution");
  run.pass(0, 2, "iteration_end", 1);
  run.write(0, 3, 4, 1);
  run.pass(0, 6, "iteration_end", 2);
  run.write(0, 7, 8, 1);
  EXPECT_THAT(share.at(20), ElementsAre("p0@2=25"));
}

TEST_F(MeasurementTest, ValuesOfProcessesMeetByTheirVirtualTime) {
  Measured most(run, "Max_comm_delay_per_loop_execution");
  for (std::uint32_t process = 0; process < 2; ++process) {
    run.pass(process, 2, "iteration_end", 1);
    run.write(process, 3, 4 + process, 1);
    run.pass(process, 6, "iteration_end", 2);
  }
  EXPECT_THAT(most.at(20), ElementsAre("50"));
}

TEST_F(MeasurementTest, AVirtualTimeWaitsForAllProcesses) {
  Measured most(run, "M",
                "M(Process[] procs, VirtualTime vt) { PROBE e(Process, VirtualTime, Value); Process p; Value "
                "v; Value[] "
                "a; a[p] = v AT e(p, vt, v); RETURN MAX(a[p] WHERE p IN procs); }");
  run.pass(0, 2, "e", 1, 5.0);
  run.pass(1, 3, "e", 1, 3.0);
  run.pass(0, 4, "e", 2, 8.0);
  EXPECT_THAT(most.at(10), ElementsAre("@1=5"));
  run.pass(1, 11, "e", 2, 9.0);
  EXPECT_THAT(most.at(20), ElementsAre("@2=9"));
}

// Otherwise it would depend on when the others are read.
TEST_F(MeasurementTest, AVirtualTimeThatOnlyOthersPassHasNoValue) {
  const std::string text =
      "M(Process[] procs, VirtualTime vt) { PROBE end(Process, VirtualTime); Process p; RETURN MIN[p](1 AT "
      "end(p, vt) WHERE p IN procs AND p.rank < 1); }";
  for (const bool is_late : {false, true}) {
    ObservedRun run;
    Measured least(run, "M", text);
    run.pass(0, 2, "end", 1);
    run.pass(0, 4, "end", 3);
    run.pass(1, 2, "end", 1);
    if (!is_late) run.pass(1, 3, "end", 2);
    EXPECT_THAT(least.at(5), ElementsAre("@1=1", "@3=1"));
    if (is_late) run.pass(1, 6, "end", 2);
    EXPECT_THAT(least.at(7), IsEmpty());
  }
}

TEST_F(MeasurementTest, AProcessThatNeverComesIsGivenUp) {
  Measured count(
      run, "M",
      "M(Process[] procs, VirtualTime vt) { PROBE e(Process, VirtualTime); Process p; Value[] a; a[p] = 1 AT "
      "e(p, vt); RETURN COUNT(a[p] WHERE p IN procs); }");
  run.write(1, 2, 3, 1);
  for (std::uint64_t i = 1; i <= Evaluator::max_waiting; ++i)
    run.pass(0, 2.0 + 0.001 * static_cast<double>(i), "e", i);
  EXPECT_THAT(count.at(10), IsEmpty());
  run.pass(0, 11, "e", Evaluator::max_waiting + 1);
  EXPECT_THAT(count.at(12), ElementsAre("@1=1"));
  EXPECT_EQ(count->given_up(), 1U);
}

TEST_F(MeasurementTest, TheRankAndTheNameChooseAProcess) {
  Measured time(
      run, "M",
      "M(Process[] procs, TimeInterval t) { Process p; Process first = UNIQUE(p WHERE p.rank == 1); RETURN "
      "Send_count(first, t) * 100 + COUNT(p WHERE p.name MATCHES 'p[0-1]' AND NOT p == first); }");
  run.write(0, 2, 3, 1);
  run.write(1, 2, 3, 1);
  run.write(1, 3, 4, 1);
  run.write(2, 3, 4, 1);
  EXPECT_THAT(time.at(10), ElementsAre("201"));
}

TEST_F(MeasurementTest, UniqueOfNoneOrManyIsAnError) {
  const std::string text =
      "None(Process[] procs, TimeInterval t) { Process p; Process q = UNIQUE(p WHERE p.rank == 9); RETURN "
      "q.rank; }\n"
      "Many(Process[] procs, TimeInterval t) { Process p; Process q = UNIQUE(p WHERE p.rank < 2); RETURN "
      "q.rank; }";
  run.write(0, 2, 3, 1);
  run.write(1, 2, 3, 1);
  const View view = run.view();
  Measured none(run, "None", text);
  none->take(view);
  EXPECT_THAT(none.at(10), ElementsAre("UNIQUE of no value"));
  Measured many(run, "Many", text);
  many->take(view);
  EXPECT_THAT(many.at(10), ElementsAre("UNIQUE of different values"));
}

TEST_F(MeasurementTest, TheImbalanceOfBarriersOfThePaper) {
  Measured imbalance(
      run, "M",
      "M(Process[] procs, VirtualTime vt): Unit(\"%\") { PROBE loop_start(Process, VirtualTime); PROBE "
      "loop_stop(Process, VirtualTime); Process p; Process p0 = UNIQUE(p WHERE p.rank == 0); Value loop = "
      "Time(NOW) AT loop_stop(p0, vt) - Time(NOW) AT loop_start(p0, vt); Value[] d; d[p] = Send_delay(p, "
      "[START, "
      "NOW]) AT loop_stop(p, vt) - Send_delay(p, [START, NOW]) AT loop_start(p, vt); RETURN (MAX(d[p] WHERE "
      "p IN "
      "procs) - MIN(d[p] WHERE p IN procs)) / loop; }");
  for (std::uint32_t process = 0; process < 2; ++process) {
    run.pass(process, 2, "loop_start", 4);
    run.write(process, 3, 4 + 2 * process, 1);
    run.pass(process, 10, "loop_stop", 4);
  }
  EXPECT_THAT(imbalance.at(20), ElementsAre("@4=25"));
}

TEST_F(MeasurementTest, ASharedGraphIsEvaluatedOnce) {
  std::string text =
      "M(Process p, TimeInterval t) { PROBE e(Process, VirtualTime); VirtualTime v; Value[] x0; x0[v] = 1 AT "
      "e(p, v);";
  for (int i = 1; i <= 60; ++i)
    text += fmt::format("Value[] x{0}; x{0}[v] = x{1}[v] * 0.5 + x{1}[v] * 0.5;", i, i - 1);
  Measured sum(run, "M", text + "RETURN SUM(x60[v]); }");
  run.pass(0, 2, "e", 1);
  run.pass(0, 3, "e", 2);
  EXPECT_THAT(sum.at(10), ElementsAre("p0=2"));
}

TEST_F(MeasurementTest, ProbesThatNobodyPassesAreNamed) {
  Measured count(run, "Loop_Counter");
  run.write(0, 2, 3, 1);
  EXPECT_THAT(count.at(10), ElementsAre("p0=0"));
  EXPECT_THAT(count->silent_probes(), ElementsAre("iteration_end"));
}

// --- what cannot be measured ---------------------------------------------------------------------

std::string refusal(const std::string& text) {
  MetricLibrary library;
  EXPECT_THAT(library.add(text), IsEmpty());
  return test::error_text<ConfigurationError>(
      [&] { (void)define(library.metrics(), static_cast<std::uint32_t>(library.metrics().size() - 1)); });
}

TEST(Define, RefusesWhatCannotBeMeasured) {
  EXPECT_EQ(refusal("M(Process[] a, TimeInterval t) { RETURN Send_count(a, [NOW, NOW]); }"),
            "metric M: a measured interval must begin with START or LAST and end with NOW");
  EXPECT_EQ(refusal("M(Process p, Process q, VirtualTime v) { PROBE e(Process, VirtualTime); RETURN "
                    "Send_count(q, [START, "
                    "NOW]) AT e(p, v); }"),
            "metric M: at the probe e, only values of the process that passes it can be used");
}

}  // namespace
}  // namespace eventspace::metrics
