#include <gmock/gmock.h>

#include "tests/scopes/metrics/evaluation/observed_run.h"

// Measurements with faulty numbers, sets or processes.
namespace eventspace::metrics {
namespace {

using test::Measured;
using test::ObservedRun;
using testing::ElementsAre;

TEST(MeasurementFault, ANumberThatIsTooLargeIsAnErrorOfItsValue) {
  ObservedRun run;
  Measured product(
      run, "M",
      "M(Process p, TimeInterval t) { Value m = 1000000000; Value a = m * m * m * m * m * m * m * m * m; "
      "RETURN Send_count(p, t) * a * a * a * a; }");
  run.write(0, 1, 2, 1);
  EXPECT_THAT(product.at(10), ElementsAre("p0=too large a number"));
  ObservedRun other;
  Measured aggregate(other, "M",
                     "M(Process[] procs, TimeInterval t) { Process p; Value m = 1000000000; "
                     "Value a = m * m * m * m * m * m * m * m * m; "
                     "RETURN PROD(Send_count(p, t) * a * a WHERE p IN procs); }");
  other.write(0, 1, 2, 1);
  other.write(1, 1, 2, 1);
  EXPECT_THAT(aggregate.at(10), ElementsAre("too large a number"));
}

TEST(MeasurementFault, AProcessThatEndsAndComesBackGoesOnCounting) {
  ObservedRun run;
  Measured measured(run, "M", "M(Process p, TimeInterval t) { RETURN Send_count(p, t); }");
  run.write(0, 1, 2, 1);
  run.write(1, 1, 2, 1);
  EXPECT_THAT(measured.at(10), ElementsAre("p0=1", "p1=1"));
  run.leave(1);
  run.write(0, 11, 12, 1);
  EXPECT_THAT(measured.at(20), ElementsAre("p0=2", "p1=1")) << "what it has sent stays";
  run.write(1, 21, 22, 1);
  EXPECT_THAT(measured.at(30), ElementsAre("p0=2", "p1=2"));
}

TEST(MeasurementFault, AVirtualTimeFarBeyondAllNumbersIsOne) {
  ObservedRun run;
  Measured measured(run, "Loop_Counter");
  run.pass(0, 2, "iteration_end", UINT64_MAX / 2 - 1);
  run.pass(0, 3, "iteration_end", UINT64_MAX / 2);
  EXPECT_THAT(measured.at(10), ElementsAre("p0=1")) << "both count as the greatest";
  run.pass(0, 4, "iteration_end", 5);
  EXPECT_THAT(measured.at(20), ElementsAre("p0=2"));
}

TEST(MeasurementFault, ForgedNumbersOfPassagesAreBounded) {
  ObservedRun run;
  Measured measured(run, "Loop_Counter");
  for (int i = 0; i < 3; ++i) run.pass_again(0, 2 + i, "iteration_end", UINT64_MAX / 2 - 1);
  run.pass_again(0, 6, "iteration_end", 0);
  EXPECT_THAT(measured.at(10), ElementsAre("p0=4"));
}

TEST(MeasurementFault, ASetOfAMillionObjects) {
  constexpr std::uint32_t many = 1'000'000;
  ObservedRun run;
  Measured measured(run, "M",
                    "M(Thread[] all, TimeInterval t) { Thread one; "
                    "RETURN MAX(Send_count(one, t) WHERE one IN all) + Send_count(all, t) - 1000000; }");
  for (std::uint32_t thread = 0; thread < many; ++thread) run.write(0, 1, 2, 1, thread);
  run.write(0, 3, 4, 1, 77);
  EXPECT_THAT(measured.at(10), ElementsAre("3"));
}

}  // namespace
}  // namespace eventspace::metrics
