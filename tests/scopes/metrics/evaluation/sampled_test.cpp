#include <gmock/gmock.h>

#include <eventspace/error.h>
#include "scopes/metrics/evaluation/usages.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

// Metrics of the resource usage of processes, from the reports that servers add to views.
namespace eventspace::metrics {
namespace {

using test::Measured;
using test::ObservedRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/// Used processor time in ms, memory in MiB, switches.
ProcessUsage usage(std::uint64_t cpu_ms, std::uint64_t memory_mib = 1, std::uint64_t voluntary = 0,
                   double load = 1.5) {
  return {cpu_ms * ms, memory_mib * mib, voluntary, 0, load, 2};
}

std::string metric_of(const std::string& built_in, const std::string& unit) {
  return "M(Process p, TimeInterval t): Unit(\"" + unit + "\") { RETURN " + built_in + "(p, t); }";
}

TEST(Sampled, ProcessorTimeCountsFromTheFirstReport) {
  ObservedRun run;
  Measured measured(run, "M", metric_of("Compute_time", "ms"));
  run.use(0, usage(1000));
  run.use(1, usage(50));
  EXPECT_THAT(measured.at(100), ElementsAre("p0=0", "p1=0"));
  run.use(0, usage(1080));
  run.use(1, usage(60));
  EXPECT_THAT(measured.at(200), ElementsAre("p0=80", "p1=10"));
  run.use(0, usage(1100));
  run.use(1, usage(60));
  EXPECT_THAT(measured.at(300), ElementsAre("p0=100", "p1=10"));
}

TEST(Sampled, SinceTheLastReading) {
  ObservedRun run;
  Measured measured(run, "CPU_usage", "", {.span = Span::since_last});
  run.use(0, usage(0));
  EXPECT_THAT(measured.at(1), ElementsAre("p0=division by zero"));
  run.use(0, usage(50));
  EXPECT_THAT(measured.at(101), ElementsAre("p0=50"));
  run.use(0, usage(150));
  EXPECT_THAT(measured.at(201), ElementsAre("p0=100"));
}

TEST(Sampled, MemoryIsWhatThereIsAndItsGrowthMayBeNegative) {
  ObservedRun run;
  Measured size(run, "M", "M(Process[] p, TimePoint t): Unit(\"MiB\") { RETURN Memory_size(p, t); }");
  run.use(0, usage(0, 10));
  run.use(1, usage(0, 5));
  EXPECT_THAT(size.at(100), ElementsAre("15"));
  ObservedRun other;
  Measured growth(other, "M", metric_of("Memory_growth", "MiB"));
  other.use(0, usage(0, 10));
  growth.at(100);
  other.use(0, usage(0, 4));
  EXPECT_THAT(growth.at(200), ElementsAre("p0=-6"));
}

TEST(Sampled, AProcessThatIsGoneHasNoValueAndTheReasonSaysSo) {
  ObservedRun run;
  Measured measured(run, "M", metric_of("Compute_time", "ms"));
  run.use(0, usage(10));
  run.use(1, usage(10));
  measured.at(100);
  run.end(0);
  run.use(1, usage(20));
  EXPECT_THAT(measured.at(200), ElementsAre("p0=the process is gone", "p1=10"));
}

TEST(Sampled, AProcessThatWasNeverSampledSaysSo) {
  ObservedRun run;
  Measured measured(run, "M", metric_of("Compute_time", "ms"));
  run.write(0, 1, 2, 1);
  EXPECT_THAT(measured.at(100), ElementsAre("p0=not sampled"));
}

TEST(Sampled, AProcessThatIsStartedAgainGoesOnCounting) {
  ObservedRun run;
  Measured measured(run, "M", metric_of("Compute_time", "ms"));
  run.use(0, usage(100));
  measured.at(100);
  run.use(0, usage(130));
  measured.at(200);
  run.use(0, usage(20), 7);
  EXPECT_THAT(measured.at(300), ElementsAre("p0=50"));
}

TEST(Sampled, SwitchesOfThreadsThatHaveEndedAreNotTakenBack) {
  ObservedRun run;
  Measured measured(run, "M", metric_of("Voluntary_switches", "1"));
  run.use(0, usage(0, 1, 100));
  measured.at(100);
  run.use(0, usage(0, 1, 150));
  measured.at(200);
  run.use(0, usage(0, 1, 20));
  EXPECT_THAT(measured.at(300), ElementsAre("p0=50"));
  run.use(0, usage(0, 1, 25));
  EXPECT_THAT(measured.at(400), ElementsAre("p0=55"));
}

TEST(Sampled, TheLoadOfANodeCountsOnceHoweverManyProcessesItHas) {
  ObservedRun run;
  ASSERT_EQ(run.names.node_of_process(0), run.names.node_of_process(1));
  Measured measured(run, "M", "M(Process[] p, TimePoint t) { RETURN Node_load(p, t); }");
  run.use(0, usage(0, 1, 0, 3.0));
  run.use(1, usage(0, 1, 0, 3.0));
  EXPECT_THAT(measured.at(100), ElementsAre("3"));
}

TEST(Sampled, TheErrorOfTheClockIsThatOfTheWorstProcess) {
  ObservedRun run;
  MetricLibrary library = MetricLibrary::shipped();
  ASSERT_THAT(library.add("M(Process[] procs, TimePoint t): Unit(\"us\") { RETURN Time_error(procs, t); }"),
              IsEmpty());
  Measurement error(define(library.metrics(), library.find("M").value()), {}, run.names);
  error.start(ObservedRun::ns(1));
  run.use(0, usage(0));
  run.use(1, usage(0));
  View view = run.view(10);
  view.processes[0].now_error_ns = 2000;
  view.processes[1].now_error_ns = 7000;
  error.take(view);
  const auto values = error.read(ObservedRun::ns(10));
  ASSERT_THAT(values, testing::SizeIs(1));
  EXPECT_NEAR(values[0].datum.number, 7e-6, 1e-8);
  run.use(0, usage(0));
  run.use(1, usage(0));
  view = run.view(20);
  view.processes[1].relation = ClockRelation::unknown();
  error.take(view);
  EXPECT_EQ(error.read(ObservedRun::ns(20))[0].datum.problem, Problem::no_value);
}

TEST(Sampled, AtAProbeItIsRefusedAlsoInAMetricThatIsUsedThere) {
  MetricLibrary library = MetricLibrary::shipped();
  ASSERT_THAT(library.add("M(Process p, VirtualTime vt): Unit(\"%\") { PROBE end(Process, VirtualTime); "
                          "RETURN CPU_usage(p, [START, NOW]) AT end(p, vt); }"),
              IsEmpty());
  EXPECT_THAT(
      [&] { (void)define(library.metrics(), library.find("M").value()); },
      ThrowsMessage<ConfigurationError>(HasSubstr("at the probe end, sampled values cannot be used")));
}

}  // namespace
}  // namespace eventspace::metrics
